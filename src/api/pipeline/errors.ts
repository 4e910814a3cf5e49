import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isBusy } from '../../platform/database/pool.ts';
import { AppError, conflict } from '../../platform/errors.ts';
import { errorText, JSON_TYPE, statusOf } from '../../platform/http/envelope.ts';
import { isRead, sendErrorPage } from './error-page.ts';
import { callerFields } from './log-request.ts';

const hasCode = (error: unknown): error is FastifyError => error instanceof Error && 'code' in error;

/** Errors that Fastify throws before an operation is reached. */
const fromFramework = (error: unknown): AppError | null => {
  if (!hasCode(error) || typeof error.code !== 'string') return null;
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new AppError('BAD_REQUEST', 'The request body is larger than 1 MiB', { reason: 'BODY_TOO_LARGE' });
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return badRequest('content-type', 'must be application/json');
  if (error.code.startsWith('FST_ERR_CTP_')) return badRequest('body', 'is not valid JSON');
  if (error.code === 'FST_ERR_BAD_URL' || error.code.startsWith('FST_ERR_')) {
    return (error.statusCode ?? 500) < 500 ? badRequest('path', 'is not a valid URL path') : null;
  }
  return null;
};

export const badRequest = (path: string, message: string): AppError =>
  new AppError('BAD_REQUEST', `The ${path} ${message}`, { issues: [{ path, code: 'invalid', message }] });

/** The same text for every fault: the cause is in the log line with the same request id. */
export const FAULT = new AppError('INTERNAL_ERROR', 'Internal error. Include the request id when you report it.');

/** Nobody reads it. */
export const DISCONNECTED = new AppError('BAD_REQUEST', 'The connection was closed before the request was complete');

/** Node's error for a body whose sender hung up. */
const isDisconnect = (error: unknown, { raw }: FastifyRequest): boolean =>
  hasCode(error) && error.code === 'ECONNRESET' && !raw.complete && raw.socket.destroyed;

/** A request that only reads waits for nobody: there it is a fault. */
const isBusyWriting = (error: unknown, method: string): boolean => isBusy(error) && method !== 'GET' && method !== 'HEAD';

const BUSY = conflict('BUSY', 'Too many requests change the same at once. Repeat the request as it is', { retryAfterMs: 1_000 });

/** What the caller is told; null for a fault. */
export const toAppError = (error: unknown, method: string): AppError | null => {
  if (isBusyWriting(error, method)) return BUSY;
  return error instanceof AppError ? error : fromFramework(error);
};

/** What could not be reached. */
const RETRY_AFTER_SECONDS = 60;

export const sendError = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const appError = isDisconnect(error, request) ? DISCONNECTED : toAppError(error, request.method);
  if (appError === DISCONNECTED) request.log.debug(callerFields(request), 'client disconnected before the request was complete');
  if (appError === BUSY) request.log.warn({ err: error, ...callerFields(request) }, 'a request waited too long for others');
  if (!appError) request.log.error({ err: error, ...callerFields(request) }, 'request failed');
  const sent = appError ?? FAULT;
  if (sent.code === 'UNAVAILABLE') reply.header('retry-after', RETRY_AFTER_SECONDS);
  if (isRead({ url: request.url, accept: request.headers.accept })) return sendErrorPage(sent, request, reply);
  return reply.code(statusOf(sent)).header('content-type', JSON_TYPE).send(errorText(sent, request.id));
};

const MAX_PATH_LENGTH = 200;

const hintOf = (path: string): string => {
  if (path.startsWith('/api/v1/integrations')) return '. Events of a program are received under /api/integrations';
  return path.startsWith('/api/') ? '' : '. The operations of the API are under /api/v1';
};

export const routeNotFound = ({ method, url }: FastifyRequest): never => {
  const [path = ''] = url.split('?');
  const hint = hintOf(path);
  throw new AppError('NOT_FOUND', `No route matches ${method} ${path.slice(0, MAX_PATH_LENGTH)}${hint}`);
};
