import { Fault } from '@landfall/kernel/core/fault';
import { isId } from '@landfall/kernel/core/ids';
import { parser } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { passkeyName } from '../factors/passkey-operations.ts';
import type { Passkey } from '../factors/passkeys.ts';
import { type Form, readForm } from '../protocol/form.ts';
import type { BrowserAnswer, BrowserRequest } from '../sign-in/browser-answers.ts';
import { type Html, html } from '../sign-in/html.ts';
import { csrfField } from '../sign-in/page-layout.ts';
import type { PagePorts } from '../sign-in/page-ports.ts';
import { item, items, time } from './account-layout.ts';
import type { AccountPage, PageContext, Visitor } from './account-pages.ts';
import { jsonAnswer } from './json-answer.ts';

const PATH = '/account/passkeys';
const readName = parser(Type.Object({ name: passkeyName }));

/** Hidden until the script finds WebAuthn support. */
const addForm = ({ csrf }: PageContext): Html =>
  html`<form class="stack" method="post" action="${PATH}" id="passkey-add" data-options="/account/passkeys/options" hidden>${csrfField(csrf)}
<input type="hidden" name="do" value="add"><input type="hidden" name="passkey" value=""><input type="hidden" name="passkey_ticket" value="">
<div class="field"><label for="name">Name</label><input class="input" id="name" name="name" maxlength="100" required aria-describedby="name-hint" autocomplete="off"></div>
<p class="small quiet" id="name-hint">What you will know it by: the device, or the password manager.</p>
<button class="btn" type="submit">Add a passkey</button>
<p class="err" id="passkey-error" role="status" hidden></p></form>
<p id="passkey-missing">To add a passkey, use a browser that knows them, with scripts allowed.</p>`;

const actions = ({ csrf, isFresh }: PageContext, { id, name }: Passkey): Html | undefined =>
  isFresh
    ? html`<details><summary aria-label="Change ${name}">Change</summary>
<form class="stack" method="post" action="${PATH}">${csrfField(csrf)}<input type="hidden" name="id" value="${id}">
<div class="field"><label for="name-${id}">Name</label><input class="input" id="name-${id}" name="name" maxlength="100" required value="${name}" autocomplete="off"></div>
<button class="btn plain" type="submit" name="do" value="rename">Rename</button></form>
<form class="stack" method="post" action="${PATH}">${csrfField(csrf)}<input type="hidden" name="id" value="${id}">
<button class="btn plain" type="submit" name="do" value="remove" aria-label="Remove ${name}">Remove</button></form></details>`
    : undefined;

const passkeyItem = (frame: PageContext, passkey: Passkey): Html => {
  const { name, createdAt, lastUsedAt, backedUp } = passkey;
  const used = lastUsedAt === null ? html`Not used yet` : html`Used ${time(lastUsedAt)}`;
  const storage = backedUp ? html`Stored in a password manager` : html`Stored on one device`;
  return item(name, [html`Added ${time(createdAt)}`, used, storage], actions(frame, passkey));
};

/**
 * Renders the page of a person's passkeys and handles its forms.
 * @param visitorOf finds the signed-in person of a request
 */
export const createPasskeyPages = (
  { database, factors }: Pick<PagePorts, 'database' | 'factors'>,
  visitorOf: (request: BrowserRequest) => Promise<Visitor | undefined>,
) => {
  const { passkeys, passkeysUnavailableReason } = factors;

  const addition = (frame: PageContext): Html | undefined => {
    if (passkeysUnavailableReason !== undefined)
      return html`<div class="note"><p>${passkeysUnavailableReason}</p></div>`;
    return frame.isFresh ? addForm(frame) : undefined;
  };

  const idIn = ({ id = '' }: Form) => {
    if (isId(id, 'Passkey')) return id;
    throw new Fault('RES_NOT_FOUND', 'There is no such passkey.');
  };

  const page: AccountPage = {
    section: 'passkeys',
    hasScript: true,
    notices: {
      added: 'The passkey is added. You can sign in with it.',
      renamed: 'The passkey has its new name.',
      removed: 'The passkey is removed. It no longer signs you in.',
    },
    async body(frame) {
      const all = await database.read(frame.caller.tenant, (query) => passkeys.list(query, frame.caller));
      const entries = all.map((passkey) => passkeyItem(frame, passkey));
      const list = entries.length === 0 ? html`<p>You have no passkey.</p>` : items(entries, 'Passkeys');
      return html`<p>A passkey signs you in without a password, with your fingerprint, your face or the PIN of your device.</p>
${list}${addition(frame)}`;
    },
    changes: {
      async add({ caller }, { passkey = '', passkey_ticket: ticket = '' }) {
        const checked = await passkeys.check(caller, passkey, ticket);
        await database.write(caller.tenant, (tx) => passkeys.save(tx, caller, checked));
        return 'added';
      },
      async rename({ caller }, form) {
        const [id, { name }] = [idIn(form), readName({ name: form.name })];
        await database.write(caller.tenant, (tx) => passkeys.rename(tx, caller, id, name));
        return 'renamed';
      },
      async remove({ caller }, form) {
        const id = idIn(form);
        await database.write(caller.tenant, (tx) => passkeys.remove(tx, caller, id));
        return 'removed';
      },
    },
  };

  /** Creation options for the page's script; reads only. */
  const options = async (request: BrowserRequest): Promise<BrowserAnswer> => {
    const consoleUser = await visitorOf(request);
    if (!consoleUser?.isFresh) return jsonAnswer(403, { error: 'Sign in again, then add the passkey.' });
    try {
      const { name } = readName({ name: readForm(request.query).name });
      const { caller } = consoleUser;
      return jsonAnswer(200, await database.read(caller.tenant, (query) => passkeys.begin(query, caller, name)));
    } catch (error) {
      if (!(error instanceof Fault) || error.status >= 500) throw error;
      return jsonAnswer(error.status, { error: error.message });
    }
  };

  return { page, options };
};
