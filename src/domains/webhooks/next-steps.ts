import type { DeliveryError, DisabledReason } from '../../contracts/webhooks.ts';
import type { EndpointHealthView } from './endpoint-health.wire.ts';

const TLS = 'Renew or correct the certificate of the receiver.';
const CONNECTION = 'Check that the receiver runs and that its firewall lets this server in.';
const SLOW = 'Acknowledge within 20 seconds and do the work afterwards.';
const OURS = 'This server did not finish the attempt, and repeats it by itself.';

const BY_ERROR: Readonly<Record<DeliveryError, string>> = {
  dns_not_found: 'The host name of the URL does not exist: correct the URL or the DNS record.',
  dns_timeout: 'The name server of the host does not answer: check the DNS of the URL.',
  blocked_address: 'The URL leads to an address that is not public: use one that is.',
  connect_refused: CONNECTION,
  connect_timeout: CONNECTION,
  tls_invalid: TLS,
  tls_expired: TLS,
  tls_name: 'The certificate of the receiver is not for the host name of the URL: correct one of them.',
  tls_timeout: CONNECTION,
  reset: CONNECTION,
  timeout_headers: SLOW,
  timeout_body: SLOW,
  http_3xx: 'The receiver redirects, which is not followed: set the URL to the final address.',
  http_4xx: 'The receiver rejects the request: check the path of the URL, and that it verifies with the current secret.',
  http_5xx: 'The receiver reports an error of its own: look at its log.',
  gone: 'The receiver answers 410, which means that it is gone: correct the URL.',
  bad_response: 'The receiver sends a response that is not valid HTTP: check what listens at the URL.',
  internal_error: OURS,
  worker_lost: OURS,
};

const BY_REASON: Readonly<Record<DisabledReason, string>> = {
  merchant: 'The endpoint was disabled by the merchant: nothing is sent to it until it is enabled.',
  gone: 'The endpoint was disabled because the receiver answered 410: correct the URL, then enable it.',
  failing: 'The endpoint was disabled because no attempt succeeded for days: correct the receiver, then enable it.',
};

type Facts = Omit<EndpointHealthView, 'nextSteps'>;

const isFailing = ({ failingSince, breaker, lastFailureAt, lastSuccessAt }: Facts): boolean =>
  failingSince !== null || breaker.openUntil !== null || (lastFailureAt ?? '') > (lastSuccessAt ?? '');

const replayText = (failedFrom: string): string =>
  `Then send what it missed: \`POST /webhooks/{id}/replay\` with a \`since\` two days before ${failedFrom}. Note this time now: enabling the endpoint clears it.`;

/** Sentences for people, most urgent first; never empty. */
export const nextStepsFor = (facts: Facts): string[] => {
  const { disabledReason, deliveries, lastErrorCode, status } = facts;
  const steps = [
    status === 'disabled' && BY_REASON[disabledReason ?? 'merchant'],
    lastErrorCode !== null && isFailing(facts) && BY_ERROR[lastErrorCode],
    status === 'disabled' && deliveries.parked > 0 && 'Enabling it sends the parked deliveries.',
    status === 'disabled' && facts.disabledAt !== null && replayText(facts.failingSince ?? facts.disabledAt),
    status === 'active' && facts.failingSince !== null && 'Leave it enabled: deliveries are retried for about three days.',
    deliveries.exhausted > 0 &&
      'Some deliveries used up their attempts: replay them with `POST /webhooks/{id}/replay` and a `since` before the oldest of them, or read `GET /events`.',
  ].filter((step) => step !== false);
  return steps.length > 0 ? steps : ['Nothing to do.'];
};
