import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { Fault } from '../core/fault.ts';
import type { HttpResponse } from '../http/client.ts';
import type { HttpFailure } from '../http/failure.ts';
import { remoteFault as unansweredBy } from '../http/remote-failure.ts';

const errorBody = Compile(Type.Object({ errors: Type.Array(Type.Object({ code: Type.String() })) }));

/** The codes of a distribution error body (distribution-spec 1.1, error codes); none when it is something else. */
const codesOf = (body: Buffer): readonly string[] => {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return errorBody.Check(value) ? value.errors.map(({ code }) => code) : [];
  } catch {
    return [];
  }
};

/** Fault of a registry without an answer; calls end by their deadline only. */
export const unanswered = (failure: HttpFailure, registry: string): Fault =>
  unansweredBy(failure.kind === 'aborted' ? { ...failure, kind: 'timeout' } : failure, registry, { registry });

export const invalidAnswer = (registry: string, problem: string): Fault =>
  new Fault('INT_INVALID_RESPONSE', `${registry}: ${problem}`, { registry });

export const authFailed = (registry: string, status: number): Fault =>
  new Fault('INT_AUTH_FAILED', `${registry} refuses our credentials (${status}).`, { registry, status });

/** Fault for an unsuccessful answer about a manifest of `path`; a missing tag has its own code. */
export const refusedAnswer = (
  registry: string,
  { status, headers, body }: HttpResponse,
  reference: { readonly path: string; readonly reference: string; readonly isTag: boolean },
): Fault => {
  if (status === 401 || status === 403) return authFailed(registry, status);
  if (status === 429)
    return new Fault('INT_RATE_LIMITED', `${registry} limits our rate.`, {
      registry,
      retryAfter: headers['retry-after'] ?? null,
    });
  if (status === 404 && reference.isTag && !codesOf(body).includes('NAME_UNKNOWN'))
    return new Fault('REL_TAG_NOT_FOUND', `${registry}/${reference.path} has no tag ${reference.reference}.`, {
      repository: `${registry}/${reference.path}`,
      tag: reference.reference,
    });
  if (status === 404)
    return new Fault('INT_RESOURCE_NOT_FOUND', `${registry} has no ${reference.path} at ${reference.reference}.`, {
      repository: `${registry}/${reference.path}`,
      reference: reference.reference,
    });
  if (status >= 500) return new Fault('INT_CONNECTION_FAILED', `${registry} answered ${status}.`, { registry, status });
  return invalidAnswer(registry, `an answer of ${status} was not expected.`);
};
