import type { Form } from '../protocol/form.ts';
import { revokeFamiliesOfUser } from '../revocation/revocation.ts';
import { type Html, html } from '../sign-in/html.ts';
import { formatWait } from '../sign-in/messages.ts';
import { csrfField, invalidAttributes } from '../sign-in/page-layout.ts';
import type { PagePorts } from '../sign-in/page-ports.ts';
import * as sessions from '../sign-in/sessions.ts';
import * as links from '../users/account-links.ts';
import { passwordProblem } from '../users/password-policy.ts';
import * as passwords from '../users/passwords.ts';
import { userEvent } from '../users/user-events.ts';
import type { AccountPage, PageContext, Visitor } from './account-pages.ts';

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

const refusalOf = ({ next, again: repeated, present }: Chosen, username: string): string | undefined => {
  const fault = passwordProblem(next, username);
  if (fault !== undefined) return fault;
  if (next !== repeated) return 'The new password and its repetition differ.';
  return next === present ? 'The new password is the present one.' : undefined;
};

export const createPasswordPage = ({ database, backOff }: Pick<PagePorts, 'database' | 'backOff'>): AccountPage => {
  const hashOf = async ({ caller: { tenant }, user }: Visitor): Promise<string | undefined> =>
    (await database.read(tenant, (query) => passwords.findPassword(query, tenant, user.id)))?.passwordHash ?? undefined;

  /** Ends every other sign-in and its tokens, since the old password may be stolen. */
  const replace = ({ caller, user, session }: Visitor, previous: string, hash: string): Promise<boolean> =>
    database.write(caller.tenant, async (tx) => {
      const changed = await passwords.replacePassword(tx, caller.tenant, user.id, { was: previous, hash });
      if (!changed) return false;
      await sessions.endOtherSessionsOfUser(tx, caller.tenant, user.id, session.id);
      await revokeFamiliesOfUser(tx, caller.tenant, user.id);
      // A link that was sent before would allow its holder to choose another password.
      await links.removeLinks(tx, caller.tenant, user.id);
      await userEvent(tx, caller, 'user.changePassword', { id: user.id, version: changed.version });
      return true;
    });

  const change = async (consoleUser: Visitor, { present = '', next = '', again: repeated = '' }: Form) => {
    const { username } = consoleUser.user;
    const turn = await backOff.recordAttempt(username, consoleUser.request.address);
    if (!turn.allowed) {
      const error = `Too many tries. Wait ${formatWait(turn.waitMs)}.`;
      return { status: 429, error, retryAfterMs: turn.waitMs };
    }
    const previous = await hashOf(consoleUser);
    const isRight = present.length <= 200 && (await passwords.verifyPassword(present, previous));
    if (previous === undefined || !isRight) return { status: 400, error: 'The present password is wrong.' };
    await backOff.recordSuccess(username, consoleUser.request.address);
    const refusal = refusalOf({ next, again: repeated, present }, username);
    if (refusal !== undefined) return { status: 400, error: refusal };
    const isChanged = await replace(consoleUser, previous, await passwords.hashPassword(next));
    return isChanged ? 'changed' : { status: 409, error: 'The password was changed elsewhere a moment ago.' };
  };

  return {
    section: 'password',
    notices: { changed: 'Your password is changed. Other sign-ins have ended.' },
    body: async (frame) => ((await hashOf(frame)) === undefined ? NONE : frame.isFresh ? changeForm(frame) : html``),
    changes: { '': change },
  };
};
