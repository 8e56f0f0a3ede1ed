import { Fault } from '@landfall/kernel/core/fault';
import { parseJson } from '@landfall/kernel/core/json';
import { parseForm } from '@landfall/kernel/http/form-body';
import Type from 'typebox';
import { Compile } from 'typebox/compile';

const text = Type.String({ maxLength: 400 });

/** Limit of a notification's events; those after them are not read. */
const MAX_EVENTS = 1_000;

/** Distribution's notifications: docs/content/about/notifications.md of distribution/distribution. */
const docker = Compile(Type.Object({ events: Type.Array(Type.Unknown()) }));
const dockerEvent = Compile(Type.Object({ action: text, target: Type.Object({ repository: text }) }));

const pushed = Type.Object({ repo_full_name: text });

/** Harbor's webhook in its default format; events about a whole project have no repository. */
const harbor = Compile(Type.Object({ type: text, event_data: Type.Object({ repository: Type.Optional(pushed) }) }));

/** Harbor's webhook as a CloudEvent. */
const harborCloudEvent = Compile(
  Type.Object({
    specversion: text,
    type: Type.String({ pattern: '^harbor\\.', maxLength: 400 }),
    data: Type.Object({
      repository: Type.Optional(pushed),
      resources: Type.Optional(Type.Array(Type.Object({ resource_url: Type.Optional(text) }))),
    }),
  }),
);

const githubPackage = Type.Object({
  name: text,
  namespace: Type.Optional(text),
  owner: Type.Optional(Type.Object({ login: text })),
});

/** GitHub's events `package` and `registry_package`, for the container registry ghcr.io. */
const github = Compile(
  Type.Union([
    Type.Object({ action: text, package: githubPackage }),
    Type.Object({ action: text, registry_package: githubPackage }),
  ]),
);

/** GitHub's event `ping`, which it sends once a webhook is set up. */
const githubPing = Compile(Type.Object({ zen: text, hook_id: Type.Number() }));

/** GitLab's webhooks: its registry has none of its own, so those of the project count. */
const gitlab = Compile(Type.Object({ object_kind: text, project: Type.Object({ path_with_namespace: text }) }));

/** Quay's event `repo_push`. */
const quay = Compile(Type.Object({ repository: text, docker_url: text, namespace: text }));

/** Repository that a webhook names. */
interface Named {
  readonly path: string;
  /** Whether it is a project, which may have several repositories below its path. */
  readonly isProject: boolean;
}

const exactly = (path: string): Named => ({ path: path.toLowerCase(), isProject: false });

/** Repository of an image's address: without the host, the tag and the digest. */
const repositoryOf = (image: string): string =>
  image
    .slice(image.indexOf('/') + 1)
    .replace(/@.*$/, '')
    .replace(/:[^/]*$/, '');

/** Readers by the format's name: the repositories that a payload of the format says were pushed; undefined for others. */
const formats: Readonly<Record<string, (value: unknown) => readonly Named[] | undefined>> = {
  'Docker Registry notifications': (value) =>
    docker.Check(value)
      ? value.events
          .slice(0, MAX_EVENTS)
          .flatMap((event) =>
            dockerEvent.Check(event) && event.action === 'push' ? [exactly(event.target.repository)] : [],
          )
      : undefined,
  'Harbor events': (value) => {
    if (!harbor.Check(value)) return undefined;
    const { repository } = value.event_data;
    return value.type === 'PUSH_ARTIFACT' && repository ? [exactly(repository.repo_full_name)] : [];
  },
  'Harbor CloudEvents': (value) => {
    if (!harborCloudEvent.Check(value)) return undefined;
    if (value.type !== 'harbor.artifact.pushed') return [];
    const { repository, resources = [] } = value.data;
    const images = resources.flatMap(({ resource_url: image }) => (image === undefined ? [] : [repositoryOf(image)]));
    return [...(repository ? [repository.repo_full_name] : []), ...images].map(exactly);
  },
  'GitHub package events': (value) => {
    if (githubPing.Check(value)) return [];
    if (!github.Check(value)) return undefined;
    const found = 'package' in value ? value.package : value.registry_package;
    const namespace = found.namespace ?? found.owner?.login;
    return namespace === undefined ? [] : [exactly(`${namespace}/${found.name}`)];
  },
  'GitLab project events': (value) =>
    gitlab.Check(value) ? [{ path: value.project.path_with_namespace.toLowerCase(), isProject: true }] : undefined,
  'Quay push notifications': (value) => (quay.Check(value) ? [exactly(value.repository)] : undefined),
};

/** JSON of a body: GitHub's default is a form with the JSON in its field `payload`. */
const jsonIn = (body: string, contentType: string): string => {
  if (!/^application\/x-www-form-urlencoded\b/i.test(contentType)) return body;
  const { payload } = parseForm(body);
  return typeof payload === 'string' ? payload : body;
};

/**
 * Whether the body of a webhook says that something was pushed to the repository of this path (without the host).
 * @throws Fault VAL_INVALID_JSON, VAL_SCHEMA_MISMATCH for a body of no known format
 */
export const namesRepository = (body: string, contentType: string, path: string): boolean => {
  const json = jsonIn(body, contentType);
  const value = parseJson(json);
  if (value === undefined)
    throw new Fault('VAL_INVALID_JSON', `The body is ${json === '' ? 'empty, which is not' : 'not valid'} JSON.`);
  for (const read of Object.values(formats)) {
    const names = read(value);
    if (names)
      return names.some((named) => named.path === path || (named.isProject && path.startsWith(`${named.path}/`)));
  }
  throw new Fault(
    'VAL_SCHEMA_MISMATCH',
    `The body has none of the known formats, which are ${Object.keys(formats).join(', ')}.`,
  );
};
