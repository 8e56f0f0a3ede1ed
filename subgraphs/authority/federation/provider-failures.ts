import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { StaleSignIn } from './auth-time.ts';
import { ProviderUnavailable } from './provider-client.ts';

/** Failed sign-in, as shown to the person. */
export interface SignInFailure {
  readonly status: number;
  readonly message: string;
}

const isProtocolError = (error: unknown): boolean =>
  error instanceof ClientError ||
  error instanceof ResponseBodyError ||
  error instanceof WWWAuthenticateChallengeError ||
  (error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('OAUTH_'));

const causes = (error: unknown): readonly unknown[] =>
  error instanceof Error && error.cause !== undefined ? [error, ...causes(error.cause)] : [error];

/** Finds an unavailable provider in the chain of causes. */
const downOf = (error: unknown): ProviderUnavailable | undefined =>
  causes(error).find((cause) => cause instanceof ProviderUnavailable);

const REFUSALS: Readonly<Record<string, string>> = {
  access_denied: 'It did not let you in, or you turned back.',
  login_required: 'It wants you to sign in there first.',
  interaction_required: 'It has a question for you that it could not ask.',
  consent_required: 'It wants you to agree there first.',
  temporarily_unavailable: 'It is busy. Try again in a moment.',
  server_error: 'Something went wrong there. Try again in a moment.',
};

/**
 * Converts an error of a sign-in through a provider to a failure that is shown.
 * @returns undefined for an internal error, which is rethrown and logged
 */
export const failureOf = (error: unknown, name: string): SignInFailure | undefined => {
  if (downOf(error))
    return { status: 503, message: `${name} cannot be reached at the moment. Nothing was changed; try again.` };
  if (error instanceof AuthorizationResponseError)
    return { status: 400, message: `${name} answered: ${REFUSALS[error.error] ?? 'this sign-in is not possible.'}` };
  if (error instanceof StaleSignIn)
    return {
      status: 400,
      message: `This needs a new sign-in, and ${name} did not confirm one. Sign out there, and try again.`,
    };
  if (isProtocolError(error))
    return { status: 400, message: `The answer of ${name} could not be verified. Start again.` };
  return undefined;
};
