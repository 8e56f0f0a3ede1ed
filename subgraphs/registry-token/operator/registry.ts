import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  CannotCheck,
  type Command,
  type CommandHost,
  DATABASE_HELP,
  type ExitCode,
  parse,
  readText,
  type Terminal,
  UsageError,
} from '@landfall/kernel/operator/command';
import { settingsOf } from '@landfall/kernel/system/settings';
import { registryTokenSettings, registryTokenSettingsOf } from '../settings/settings.ts';
import { rootCertificates } from '../signing/signer.ts';
import { writeRegistryToken } from './docker-config.ts';
import { openProofKey, type ProofKey } from './proof-key.ts';
import {
  askRegistry,
  type Challenge,
  type ClientCredentials,
  fetchAccessToken,
  fetchRegistryToken,
  Refusal,
  type RegistryToken,
} from './token-client.ts';

const OPTIONS = {
  repository: { type: 'string', multiple: true },
  service: { type: 'string' },
  realm: { type: 'string' },
  'auth-url': { type: 'string' },
  'client-id': { type: 'string' },
  'client-secret-file': { type: 'string' },
  key: { type: 'string' },
  'docker-config': { type: 'string' },
} as const;

const FLAGS = `  --repository NAME:ACTIONS   acme/app:pull,push; may stand several times
  --auth-url URL              the authority; LANDFALL_AUTH_URL, or http://localhost:4001
  --client-id ID              LANDFALL_CLIENT_ID
  --client-secret-file FILE   a file with the secret; or LANDFALL_CLIENT_SECRET in the environment
  --realm URL, --service NAME where the registry says that tokens are; asked of it unless both are given
  --key FILE                  the key that tokens are bound to, made when it is not there (~/.config/landfall/dpop.pem)

The client needs the scope registry.token.issue. The key never leaves this machine.`;

const LOGIN_HELP = `usage: landfall registry login <registry> --repository NAME:ACTIONS... [flags]

Gets a token for a container registry and puts it into docker's configuration, for docker, crane, oras and others. It is
good for minutes: log in right before the work, or again.

${FLAGS}
  --docker-config DIR         where config.json is: DOCKER_CONFIG, or ~/.docker`;

const TOKEN_HELP = `usage: landfall registry token <registry> --repository NAME:ACTIONS... [flags]

Prints a token for a container registry: skopeo copy --dest-registry-token "$(landfall registry token …)" …

${FLAGS}`;

const CA_HELP = `usage: landfall registry ca

Prints the certificates that a registry puts into its rootcertbundle. They stay when the key that signs is replaced.

${DATABASE_HELP}`;

type Values = ReturnType<typeof parse<typeof OPTIONS>>['values'];

const credentialsOf = async (values: Values, terminal: Terminal): Promise<ClientCredentials> => {
  const { LANDFALL_CLIENT_ID, LANDFALL_CLIENT_SECRET } = terminal.env;
  const clientId = values['client-id'] ?? LANDFALL_CLIENT_ID;
  const file = values['client-secret-file'];
  const clientSecret = file === undefined ? LANDFALL_CLIENT_SECRET : (await readText(file, terminal)).trim();
  if (!clientId) throw new UsageError('--client-id is missing, or LANDFALL_CLIENT_ID.');
  if (!clientSecret) throw new UsageError('--client-secret-file is missing, or LANDFALL_CLIENT_SECRET.');
  return { clientId, clientSecret };
};

const challengeOf = async (registry: string, { realm, service }: Values): Promise<Challenge> => {
  if (realm !== undefined && service !== undefined) return { realm, service };
  const registryAnswer = await askRegistry(registry);
  return { realm: realm ?? registryAnswer.realm, service: service ?? registryAnswer.service };
};

const holderOf = ({ key }: Values): Promise<ProofKey> =>
  openProofKey(key === undefined ? join(homedir(), '.config/landfall/dpop.pem') : resolve(key));

const fetchToken = async (registry: string, values: Values, terminal: Terminal): Promise<RegistryToken> => {
  const { repository: repositories = [] } = values;
  if (repositories.length === 0) throw new UsageError('--repository is missing: acme/app:pull,push.');
  const credentials = await credentialsOf(values, terminal);
  const authUrl = (values['auth-url'] ?? terminal.env.LANDFALL_AUTH_URL ?? 'http://localhost:4001').replace(/\/+$/, '');
  const challenge = await challengeOf(registry, values);
  const holder = await holderOf(values);
  const accessToken = await fetchAccessToken(authUrl, credentials, holder);
  return fetchRegistryToken(challenge, repositories, { accessToken, holder });
};

/** Runs what asks the service; its refusal is an answer, 1. */
const asking = async ({ print }: Terminal, ask: () => Promise<void>): Promise<ExitCode> => {
  try {
    await ask();
    return 0;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    print(`refused: ${error.message}`);
    return 1;
  }
};

const read = (args: readonly string[]) => {
  const { positionals, values } = parse(args, { options: OPTIONS, names: ['<registry>'] });
  return { registry: positionals[0] ?? '', values };
};

export const registryLogin: Command = {
  help: LOGIN_HELP,
  run: async (args, terminal) => {
    const { registry, values } = read(args);
    return asking(terminal, async () => {
      const { token, expiresIn } = await fetchToken(registry, values, terminal);
      const directory = values['docker-config'] ?? terminal.env.DOCKER_CONFIG ?? join(homedir(), '.docker');
      const file = join(resolve(directory), 'config.json');
      await writeRegistryToken(file, registry, token);
      terminal.print(`Logged in to ${registry} for ${expiresIn} seconds; the token is in ${file}.`);
    });
  },
};

export const registryToken: Command = {
  help: TOKEN_HELP,
  run: async (args, terminal) => {
    const { registry, values } = read(args);
    return asking(terminal, async () => terminal.print((await fetchToken(registry, values, terminal)).token));
  },
};

export const registryCa = (host: CommandHost): Command => ({
  help: CA_HELP,
  run: async (args, terminal) => {
    parse(args, { options: {}, names: [] });
    const { values, platform } = await host.settings();
    const root = registryTokenSettingsOf(settingsOf(registryTokenSettings, values), platform).key?.chain.at(-1);
    if (root) {
      terminal.print(root.toString().trimEnd());
      return 0;
    }
    await using installation = await host.open();
    const pem = await installation.database.system.read(rootCertificates);
    if (pem === undefined)
      throw new CannotCheck(`${platform.baseUrl} has signed no registry token yet; start the server once.`);
    terminal.print(pem.trimEnd());
    return 0;
  },
});
