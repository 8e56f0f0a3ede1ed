import { event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { revokeFamiliesOfUser } from '../revocation/revocation.store.ts';
import { type Html, html } from '../sign-in/html.ts';
import { formatWait } from '../sign-in/messages.ts';
import { csrfField, invalidAttributes } from '../sign-in/page-layout.ts';
import * as sessions from '../sign-in/sessions.store.ts';
import * as links from '../users/account-links.store.ts';
import type { BackOff } from '../users/back-off.ts';
import { passwordProblem } from '../users/password-policy.ts';
import * as store from '../users/passwords.store.ts';
import { hashPassword, verifyPassword } from '../users/passwords.ts';
import {
  type AccountPage,
  type Change,
  done,
  type PageContext,
  type PageController,
  type Visitor,
} from './page-controller.ts';

interface Ports extends Pick<Deps, 'database'> {
  readonly backOff: BackOff;
  readonly controller: PageController;
}

const field = (id: string, label: string, autocomplete: string, more?: Html): Html =>
  html`<div class="field"><label for="${id}">${label}</label><input class="input" id="${id}" name="${id}" type="password" autocomplete="${autocomplete}" maxlength="200" required${more}></div>`;

const changeForm = ({ csrf, error, user }: PageContext): Html =>
  html`<form class="stack" method="post" action="/account/password">
${csrfField(csrf)}
<input type="hidden" autocomplete="username" value="${user.username}">
${field('present', 'Present password', 'current-password', invalidAttributes(error))}
${field('next', 'New password', 'new-password', html` minlength="12" aria-describedby="next-hint"`)}
<p class="small quiet" id="next-hint">12 characters or more. A few words that only you would put together do well.</p>
${field('again', 'New password once more', 'new-password')}
<button class="btn" type="submit">Change password</button>
<p class="small quiet">Everywhere else you are signed in, you will have to sign in again.</p>
</form>`;

const NONE = html`<p>You have no password: you sign in in another way. Whoever runs Landfall for you can send you a link to choose one.</p>`;

interface Chosen {
  readonly next: string;
  readonly again: string;
  readonly present: string;
}

/** Reason to refuse the new password. */
const refusalOf = ({ next, again, present }: Chosen, username: string): string | undefined => {
  const fault = passwordProblem(next, username);
  if (fault !== undefined) return fault;
  if (next !== again) return 'The new password and its repetition differ.';
  return next === present ? 'The new password is the present one.' : undefined;
};

export const createPasswordPage = ({ database, backOff, controller }: Ports) => {
  const hashOf = async ({ who: { tenant }, user }: Visitor): Promise<string | undefined> =>
    (await database.read(tenant, (query) => store.find(query, tenant, user.id)))?.passwordHash ?? undefined;

  const page: AccountPage = {
    section: 'password',
    redirectWithNotice: { changed: 'Your password is changed. Other sign-ins have ended.' },
    body: async (frame) => ((await hashOf(frame)) === undefined ? NONE : frame.isFresh ? changeForm(frame) : html``),
  };

  /** A stolen password opens nothing any more: every other sign-in and everything that came of one ends. */
  const replace = ({ who, user, session }: Visitor, was: string, hash: string): Promise<boolean> =>
    database.write(who.tenant, async (tx) => {
      const changed = await store.replace(tx, who.tenant, user.id, { was, hash });
      if (!changed) return false;
      await sessions.endOtherSessionsOfUser(tx, who.tenant, user.id, session.id);
      await revokeFamiliesOfUser(tx, who.tenant, user.id);
      // Whoever holds a link that was sent before would else choose a third password.
      await links.removeOfUser(tx, who.tenant, user.id);
      await event(tx, who, 'user.changePassword', { entity: 'User', id: user.id, version: changed.version });
      return true;
    });

  const change: Change = async (visitor, { present = '', next = '', again = '' }) => {
    const fail = (status: number, error: string, retryAfterMs?: number) =>
      controller.answer(visitor, page, { status, error, ...(retryAfterMs !== undefined && { retryAfterMs }) });
    const { username } = visitor.user;
    const turn = await backOff.recordAttempt(username, visitor.request.address);
    if (!turn.allowed) return fail(429, `Too many tries. Wait ${formatWait(turn.waitMs)}.`, turn.waitMs);
    const was = await hashOf(visitor);
    const isRight = present.length <= 200 && (await verifyPassword(present, was));
    if (was === undefined || !isRight) return fail(400, 'The present password is wrong.');
    await backOff.recordSuccess(username, visitor.request.address);
    const refusal = refusalOf({ next, again, present }, username);
    if (refusal !== undefined) return fail(400, refusal);
    const isChanged = await replace(visitor, was, await hashPassword(next));
    return isChanged ? done('password', 'changed') : fail(409, 'The password was changed elsewhere a moment ago.');
  };

  return { page, change };
};
