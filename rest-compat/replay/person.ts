import { createHash } from 'node:crypto';
import Type from 'typebox';
import Value from 'typebox/value';
import { actionOf, cookieJar, hidden } from '../testing/browser.ts';

/** A client that signs people in, as the story registered it. */
interface Portal {
  readonly authUrl: string;
  readonly clientId: string;
  /** Its Basic credentials. */
  readonly basic: string;
}

interface Person {
  readonly username: string;
  readonly password: string;
}

const CALLBACK = 'https://portal.example/callback';
/** Fixed PKCE verifier, so that recorded requests can redeem a code. */
const VERIFIER = 'v'.repeat(43);
const SCOPE = 'openid profile offline_access release:read';

const tokens = Type.Object({ access_token: Type.String(), refresh_token: Type.String() });
const started = Type.Object({ device_code: Type.String(), user_code: Type.String() });

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Opens a browser of a person who is signed in at the portal; each code and form that it returns is valid once. */
export const openPerson = async ({ authUrl, clientId, basic }: Portal, { username, password }: Person) => {
  const jar = cookieJar();

  const visit = async (path: string, form?: Readonly<Record<string, string>>): Promise<Response> => {
    const response = await fetch(new URL(path, authUrl), {
      redirect: 'manual',
      headers: { cookie: jar.header() },
      ...(form && { method: 'POST', body: new URLSearchParams({ ...form }) }),
    });
    jar.storeCookies(response);
    return response;
  };

  const ask = async (path: string, form: Readonly<Record<string, string>>): Promise<unknown> => {
    const headers = { authorization: `Basic ${basic}` };
    return (await fetch(authUrl + path, { method: 'POST', headers, body: new URLSearchParams({ ...form }) })).json();
  };

  const authorization = `/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    scope: SCOPE,
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  })}`;

  const code = async (): Promise<string> => {
    const location = (await visit(authorization)).headers.get('location') ?? 'missing:';
    const found = new URL(location).searchParams.get('code');
    if (found === null) throw new Error(`${username} was given no code but ${location}`);
    return found;
  };

  const redeem = async () => {
    const form = { grant_type: 'authorization_code', code: await code(), redirect_uri: CALLBACK };
    return Value.Parse(tokens, await ask('/token', { ...form, code_verifier: VERIFIER }));
  };

  const beginDevice = async () => Value.Parse(started, await ask('/device_authorization', { scope: SCOPE }));

  const deviceCode = async (): Promise<string> => (await beginDevice()).device_code;

  const page = await (await visit(authorization)).text();
  await visit(actionOf(page), { csrf: hidden(page, 'csrf'), username, password });

  return {
    code,
    deviceCode,
    accessToken: async (): Promise<string> => (await redeem()).access_token,
    refreshToken: async (): Promise<string> => (await redeem()).refresh_token,
    /** A device's code after its first poll. */
    async polledDeviceCode(): Promise<string> {
      const polled = await deviceCode();
      await ask('/token', { grant_type: DEVICE_GRANT, device_code: polled });
      return polled;
    },
    /** A device's code after the person's answer. */
    async answeredDeviceCode(decision: 'approve' | 'deny'): Promise<string> {
      const { device_code: answered, user_code: userCode } = await beginDevice();
      const question = await (await visit(`/device?user_code=${userCode}`)).text();
      const visible = Object.fromEntries(['csrf', 'user_code', 'shown'].map((name) => [name, hidden(question, name)]));
      await visit(actionOf(question), { ...visible, decision });
      return answered;
    },
  };
};

export type SignedIn = Awaited<ReturnType<typeof openPerson>>;
