import type { DeliveryError, DeliveryFailure } from '../../../contracts/webhooks.ts';
import { after, DAY_MS, HOUR_MS } from '../../../platform/clock.ts';
import { type MailContent, oneLine, plain } from '../mail-content.rules.ts';
import { formatTime } from './format.ts';
import { guideFor } from './no-page.ts';

export interface EndpointMail {
  endpointId: string;
  name: string;
  url: string;
}

const ERRORS: Readonly<Record<DeliveryError, string>> = {
  dns_not_found: 'The name of the host was not found',
  dns_timeout: 'The name of the host could not be resolved in time',
  blocked_address: 'The host has an address that webhooks are not sent to',
  connect_refused: 'The connection was refused',
  connect_timeout: 'No connection within the time limit',
  tls_invalid: 'The TLS certificate is not valid',
  tls_expired: 'The TLS certificate has expired',
  tls_name: 'The TLS certificate is for another host',
  tls_timeout: 'No TLS connection within the time limit',
  reset: 'The connection was closed before there was a response',
  timeout_headers: 'No response within the time limit',
  timeout_body: 'No complete response within the time limit',
  http_3xx: 'A redirect, which is not followed',
  http_4xx: 'The request was refused',
  http_5xx: 'The receiver reported an error of its own',
  gone: 'The receiver asked for no more events',
  bad_response: 'The response was not valid HTTP',
  internal_error: 'The attempt failed on our side',
  worker_lost: 'The outcome is unknown',
};

/** "The receiver reported an error of its own: http_5xx (503)". */
const errorText = ({ error, httpStatus }: DeliveryFailure): string =>
  error === null ? 'Unknown' : `${ERRORS[error]}: ${error}${httpStatus === null ? '' : ` (${httpStatus})`}`;

const FOOTER = "You receive this email because your webhook endpoint may have missed events. It can't be turned off.";

const titleOf = ({ name }: EndpointMail, what: string): string => `Webhook endpoint ${plain(name)} ${what}`;

/** The path may hold a secret of the receiver. */
const endpointFacts = ({ name, url }: EndpointMail): [string, string][] => [
  ['Endpoint', plain(name)],
  ['Host', oneLine(new URL(url).host)],
];

const SECURITY_FOOTER = "You receive this email because it concerns who receives your data. It can't be turned off.";

const mailOf = (subject: string, paragraphs: string[], facts: [string, string][], steps: MailContent['steps']): MailContent => ({
  subject,
  heading: subject,
  paragraphs,
  sections: [{ title: null, facts }],
  steps,
  footer: FOOTER,
});

/** About who receives the events. */
const securityMail = (...parts: Parameters<typeof mailOf>): MailContent => ({ ...mailOf(...parts), footer: SECURITY_FOOTER });

const factOf = (name: string, value: string): [string, string] => [name, value];

const hoursBetween = (from: Date, to: Date): string => `${Math.floor((to.getTime() - from.getTime()) / HOUR_MS)} hours`;

export interface FailingEndpointMail extends EndpointMail {
  failingSince: Date;
  /** Null while few attempts failed: it is not disabled then. */
  disableAt: Date | null;
  lastFailure: DeliveryFailure;
  at: Date;
}

export const endpointFailingMail = (endpoint: FailingEndpointMail): MailContent => {
  const { failingSince, disableAt, lastFailure, at } = endpoint;
  return mailOf(
    titleOf(endpoint, `has been failing for ${hoursBetween(failingSince, at)}`),
    [
      'No event was acknowledged in this time. Each event is tried ten times in about three days, and given up after that.',
      ...(disableAt ? [`If this goes on, the endpoint is disabled after ${formatTime(disableAt)}.`] : []),
    ],
    [
      ...endpointFacts(endpoint),
      ['Failing since', formatTime(failingSince)],
      ['Last error', errorText(lastFailure)],
      ...(disableAt ? [factOf('Disabled after', formatTime(disableAt))] : []),
    ],
    [
      'Correct the receiver and leave the endpoint enabled: what fails is sent again',
      guideFor('How your developers see each attempt and its response', 'webhooks'),
    ],
  );
};

/** The circuit breaker opens at the tenth failure: the deliveries before it are given up, too. */
const REPLAY_MARGIN_MS = 2 * DAY_MS;

const missedSince = (failedFrom: Date): [string, string] =>
  factOf('May have missed events since', formatTime(after(failedFrom, -REPLAY_MARGIN_MS)));

export interface DisabledEndpointMail extends EndpointMail {
  reason: 'gone' | 'failing';
  disabledAt: Date;
  failingSince: Date | null;
  lastFailure: DeliveryFailure;
}

const reasonText = ({ reason, failingSince, disabledAt }: DisabledEndpointMail): string =>
  reason === 'gone' || failingSince === null
    ? 'It answered with the status 410 (Gone), which asks for no more events.'
    : `It has been failing for ${hoursBetween(failingSince, disabledAt)}.`;

export const endpointDisabledMail = (endpoint: DisabledEndpointMail): MailContent => {
  const { disabledAt, failingSince, lastFailure } = endpoint;
  return mailOf(
    titleOf(endpoint, 'was disabled'),
    [
      `${reasonText(endpoint)} Nothing is sent to it while it is disabled.`,
      'Enabling it sends the deliveries that are waiting. Events that occur while it is disabled get no delivery: replay them afterwards.',
    ],
    [
      ...endpointFacts(endpoint),
      ['Disabled at', formatTime(disabledAt)],
      missedSince(failingSince ?? disabledAt),
      ...(failingSince ? [factOf('Failing since', formatTime(failingSince))] : []),
      ['Last error', errorText(lastFailure)],
    ],
    [guideFor('Correct the receiver. How your developers enable the endpoint and send what it missed', 'webhooks')],
  );
};

export interface RecoveredEndpointMail extends EndpointMail {
  failingSince: Date;
  recoveredAt: Date;
}

export const endpointRecoveredMail = (endpoint: RecoveredEndpointMail): MailContent =>
  mailOf(
    titleOf(endpoint, 'works again'),
    ['It acknowledged an event. Deliveries that wait are sent now or at their next attempt.'],
    [
      ...endpointFacts(endpoint),
      ['Failing since', formatTime(endpoint.failingSince)],
      ['Recovered at', formatTime(endpoint.recoveredAt)],
      missedSince(endpoint.failingSince),
    ],
    [guideFor('How your developers see what was given up, and send it again', 'webhooks')],
  );

const UNEXPECTED: MailContent['steps'] = [
  {
    text: "Didn't expect this? Check who did it, and revoke the API key or remove the person",
    page: '/console/settings/audit-log',
  },
  guideFor('How your developers disable the endpoint', 'webhooks'),
];

/** Who has a key for webhooks reads everything that an endpoint receives. */
export const endpointCreatedMail = (endpoint: EndpointMail & { createdAt: Date }): MailContent =>
  securityMail(
    titleOf(endpoint, 'was created'),
    ['It receives the events that it subscribes to, with the data of affiliates, customers and payouts that they show.'],
    [...endpointFacts(endpoint), ['Created at', formatTime(endpoint.createdAt)]],
    UNEXPECTED,
  );

export interface MovedEndpointMail extends EndpointMail {
  oldOrigin: string;
  newOrigin: string;
  removedHeaders: readonly string[];
}

export const endpointMovedMail = (endpoint: MovedEndpointMail): MailContent =>
  securityMail(
    titleOf(endpoint, 'was moved'),
    [
      'Its events go to another server from now on.',
      ...(endpoint.removedHeaders.length === 0 ? [] : ['The headers that were stored for the old server are not sent there.']),
    ],
    [
      ...endpointFacts(endpoint),
      ['From', oneLine(endpoint.oldOrigin)],
      ['To', oneLine(endpoint.newOrigin)],
      ...(endpoint.removedHeaders.length === 0 ? [] : [factOf('Removed headers', oneLine(endpoint.removedHeaders.join(', ')))]),
    ],
    UNEXPECTED,
  );

const MANY = {
  webhook_created: 'were created',
  webhook_origin_changed: 'were moved',
  webhook_failing: 'are failing',
  webhook_disabled: 'were disabled',
  webhook_recovered: 'work again',
} as const;

/** More of one kind in an hour than merchants get single emails about. */
export const manyEndpointsMail = (kind: keyof typeof MANY): MailContent => ({
  subject: `More webhook endpoints ${MANY[kind]}`,
  heading: `More webhook endpoints ${MANY[kind]}`,
  paragraphs: ['There were more than 20 of these within an hour. No separate email is sent for the rest.'],
  sections: [],
  steps: [guideFor('How your developers see all endpoints', 'webhooks')],
  footer: FOOTER,
});
