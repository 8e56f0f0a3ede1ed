// Passkeys on the authority's pages. Everything else there works without it.

/** A challenge is good for ten minutes, of which a person needs some. */
const OPTIONS_FRESH_MS = 300_000;

const knowsPasskeys =
  typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON === 'function' &&
  typeof globalThis.PublicKeyCredential.parseCreationOptionsFromJSON === 'function';

const sayError = (words) => {
  const error = document.getElementById('passkey-error');
  error.textContent = words;
  error.hidden = words === '';
};

const WORDS = {
  NotAllowedError: 'Nothing was chosen, or it took too long. Try again.',
  InvalidStateError: 'This device has a passkey for you already.',
  SecurityError: 'The browser allows no passkey at this address.',
};

const askFor = async (address) => {
  const response = await fetch(address, { headers: { accept: 'application/json' } });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ?? 'The server did not answer. Try again.');
  return answer;
};

/** By its name alone: the button has the same word for an id. */
const fieldOf = (form, name) => form.querySelector(`input[name="${name}"]`);

/** Hands the browser's answer to the server as a form does, past the fields that a passkey makes needless. */
const send = (form, credential, ticket) => {
  fieldOf(form, 'passkey').value = JSON.stringify(credential);
  fieldOf(form, 'passkey_ticket').value = ticket;
  form.submit();
};

/** Runs one ceremony at a time, and says why it failed. */
const ceremony = (button, run) => async (event) => {
  event.preventDefault();
  if (button.disabled) return;
  button.disabled = true;
  sayError('');
  try {
    await run();
  } catch (error) {
    sayError(WORDS[error.name] ?? error.message);
    button.disabled = false;
  }
};

const offerSignIn = (button) => {
  const { form } = button;
  const present = () => ({
    options: JSON.parse(button.dataset.options),
    ticket: fieldOf(form, 'passkey_ticket').value,
  });
  button.hidden = false;
  button.addEventListener(
    'click',
    ceremony(button, async () => {
      const { options, ticket } = performance.now() < OPTIONS_FRESH_MS ? present() : await askFor('/passkey/options');
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
      send(form, await navigator.credentials.get({ publicKey }), ticket);
    }),
  );
};

const offerRegistration = (form) => {
  form.hidden = false;
  document.getElementById('passkey-missing').hidden = true;
  const button = form.querySelector('button');
  form.addEventListener(
    'submit',
    ceremony(button, async () => {
      const name = fieldOf(form, 'name').value;
      const { options, ticket } = await askFor(`${form.dataset.options}?${new URLSearchParams({ name })}`);
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
      send(form, await navigator.credentials.create({ publicKey }), ticket);
    }),
  );
};

if (knowsPasskeys) {
  const [signIn, registration] = ['passkey', 'passkey-add'].map((id) => document.getElementById(id));
  if (signIn) offerSignIn(signIn);
  if (registration) offerRegistration(registration);
}
