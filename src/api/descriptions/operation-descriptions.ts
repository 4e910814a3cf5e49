/** Descriptions of operations that declare none, by operation id. */
export const OPERATION_DESCRIPTIONS: Readonly<Record<string, string>> = {
  getMeta: 'Returns the versions of the server and of its API, all webhook event types and all scopes.',

  listPayouts: 'Returns the payouts of all your programs, newest first.',
  createPayout:
    "Pays an affiliate the whole payable balance in one program: approved, unpaid commissions and adjustments, less refunds, at most the 10,000 oldest commissions; the rest stays payable for the next payout. The payout begins as `pending`, and a workflow carries it out on the rail of the method. The affiliate's payout details are those at this moment.",
  listPendingPayouts:
    'Returns affiliates with a payable balance, whether or not they can be paid yet. These are not payouts: see `GET /payouts`.',
  getPayoutStats: 'The totals at the top are in `currency`; amounts are never summed across currencies.',
  getPayout: 'Returns the current status. The steps that led to it are in the timeline.',
  getPayoutTimeline:
    'Returns everything that happened to the payout, oldest first: who, when, attempts, and what the provider reported.',
  processPayout: 'Only on the manual rail: you are about to pay. From then on the payout can no longer be cancelled.',
  completePayout:
    'On the manual rail, when you have paid. On other rails only for a payout with `needsAttention`, with a `note` that says how you know.',
  failPayout:
    'On the manual rail, when you could not pay. On other rails only for a payout with `needsAttention`, with a `note`. The amount becomes payable again: never mark a slow payout as failed.',
  cancelPayout: 'Only before the first payment attempt. The amount becomes payable again.',
  resolvePayout:
    'For a payout with `needsAttention` that the provider reported as both paid and failed: state whether the affiliate got the money, with a `note` that says how you know. The balance is corrected accordingly.',
  retryPayout:
    'Creates a new payout with `retryOf`, under the rules of `POST /payouts`: its amount is computed anew. Once per failed payout.',

  listWebhookEndpoints: 'Returns all endpoints of your account, or those of one program, without pagination.',
  createWebhookEndpoint:
    'The URL must use HTTPS and resolve to public addresses. `signingSecret` is shown only here and when it is rotated. At most 50 endpoints.',
  getWebhookEndpoint: 'Returns the endpoint without its signing secret.',
  updateWebhookEndpoint:
    'Fields that are left out stay unchanged. A new URL is used at once: also by retries when they are due, and by deliveries that the circuit breaker held back.',
  deleteWebhookEndpoint: 'No further attempts are sent, and waiting deliveries are cancelled.',
  rotateWebhookEndpointSecret:
    'Returns the new secret, which is shown only once. The replaced secret keeps signing for `rotationOverlapHours` (24 by default, see `PATCH /webhooks/{id}/settings`): receivers that accept any of the signatures lose no delivery.',
  revokeOldWebhookEndpointSecrets:
    'Ends the time in which replaced secrets still sign, for example because one leaked: rotate first, then revoke. From the next attempt on, only the current secret signs. Without old secrets, it changes nothing.',
  enableWebhookEndpoint:
    'Deliveries that were paused become due immediately. Events that occurred while the endpoint was disabled are sent by `POST /webhooks/{id}/replay`: note `failingSince` and `disabledAt` before, because enabling clears both. Enabling an active endpoint changes nothing.',
  disableWebhookEndpoint:
    'Deliveries that exist are kept until the endpoint is enabled: their status is `parked` once they are due. Events that occur meanwhile get no delivery to the endpoint until they are replayed.',
  testWebhookEndpoint: 'Sends the documented example of an event type, marked with `test: true`, to this endpoint only.',
  replayWebhookEndpoint:
    'Queues deliveries of events between `since` and `until`, in the background and after all others: of events that the endpoint never got, and those that were given up. They are sent under the same `webhook-id`, with a new schedule. Pending and parked deliveries are not touched. Start with a time before the receiver began to fail: for a disabled endpoint, take two days before `failingSince` in `GET /webhooks/{id}/health`, or two days before `disabledAt` if `failingSince` is null. Note it before you enable the endpoint, because enabling clears both. An earlier start sends nothing twice, because events that the endpoint accepted are skipped by default, but it also sends events from before the endpoint was created or subscribed to them. One replay of an endpoint runs at a time. At most 5 replays of your account run at a time, and at most 100 start in 24 hours: more are 409 `TOO_MANY_REPLAYS`.',
  getWebhookReplay: 'Returns how many events the replay has examined and how many deliveries it has queued so far.',
  cancelWebhookReplay:
    'No further delivery is queued; those that are queued are sent. Cancelling a cancelled replay changes nothing.',
  getWebhookEndpointSettings:
    'Returns how deliveries are sent to the endpoint. Values of headers are never shown: `****` stands for each.',
  updateWebhookEndpointSettings:
    'Headers apply to every attempt that starts from now on, including retries and resends; `maxInFlight` and `ratePerSecond` apply to first attempts only, and `rotationOverlapHours` from the next rotation on. Headers that are left out of `headers` stay as they are. An endpoint can have at most 10: more are 409 `TOO_MANY_HEADERS`.',
  getWebhookEndpointHealth:
    'Says whether an endpoint receives its deliveries, and what to do if not. Counts stop at 10,000. Attempts are those of its newest 1,000 deliveries, so `recent.from` is later than 24 hours ago for an endpoint with more.',
  listWebhookDeliveries: 'One delivery is one event to one endpoint, with any number of attempts.',
  getWebhookDelivery: 'Shows what was sent, when, and what the receiver returned for each of the newest 100 attempts.',
  listEvents:
    'Every event of your account, as webhooks deliver it, without test events. It is read by cursor and never skips an event: keep `meta.nextCursor` and pass it as `after` next time, also when the page was empty or the last one. Events are listed in the order in which they were committed, which is not always that of `createdAt`, usually within a second. They are kept for 90 days. With `types`, a page may be short, or empty, while `hasMore` is true.',
  listEventTypes: 'Returns each event type with a description and an example of the body that receivers get. Not paginated.',
  resendWebhookDelivery:
    'Makes one attempt now, with the same body and `webhook-id`, signed with the secrets that are valid now, whatever the status of the delivery. Take the id of the delivery from `GET /webhooks/{id}/deliveries`. If the receiver accepts it, the delivery is `succeeded` and scheduled attempts end; otherwise status and schedule stay as they are. A 410 disables the endpoint, except for test deliveries. While the attempt is in progress, repeating the request changes nothing. If the endpoint is disabled or was deleted, the response is 409 `ENDPOINT_DISABLED` or `ENDPOINT_DELETED`. At most 32 resends of one endpoint are in progress, and a delivery is resent at most 50 times: more are 409 `TOO_MANY_RESENDS`.',

  listMarketingResources:
    'Returns a plain array, newest first. Archived resources are listed with `status=archived` only. Page with `limit` and `offset`; the list ends with the first page that has fewer resources than `limit`.',
  createSocialPost:
    'The body may contain `{{affiliate_link}}`, `{{affiliate_code}}` and `{{program_name}}`, which are filled in for each affiliate. Add images and videos with upload sessions. At most 1,000 resources per program.',
  createFileUploadSession:
    'Send the file to `signed_url` with PUT and its `Content-Type`, then create the file. At most 50 MB. The size counts against the storage of your tier from now on.',
  createMediaUploadSession:
    'Send the image or video to `signed_url` with PUT and its `Content-Type`, then complete the upload. Images up to 50 MB, videos up to 200 MB.',
  replaceMedia:
    'The media keeps its id, and its alternative text and position unless you give others. The file before is removed.',
  createDownloadUrl:
    'For one file, the media of a post, or the files of a collection; several files are one zip. Whoever has the URL can use it for 10 minutes.',
  publishResource:
    'Shows the resource to the approved affiliates of its program. With `notify_affiliates`, they get an email. A notification that is refused, for example because the weekly limit of your tier is reached, does not stop the publication.',
  notifyAffiliates:
    'Sends an email to the approved affiliates of the program. In any seven days: none in the tier `free`, 2 in `starter`, 5 in `growth`, 10 in `pro`, for all programs together.',
  listMyMarketingResources:
    'Returns what the merchant has published, newest first, as a plain array. Page with `limit` and `offset`; the list ends with the first page that has fewer resources than `limit`.',
  createMyDownloadUrl:
    'For one file, the media of a post, or the files of a collection; several files are one zip. Whoever has the URL can use it for 10 minutes.',
  renderSocialPost:
    'Fills in your link, your code and the name of the program. Also for swipe copy. Add `disclosure` where the platform requires advertisements to be marked.',
};
