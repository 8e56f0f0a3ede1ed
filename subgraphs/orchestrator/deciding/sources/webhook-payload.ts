import { parseJson } from '@landfall/kernel/core/json';
import Type from 'typebox';
import { Compile } from 'typebox/compile';

const text = Type.String({ maxLength: 400 });

/** Distribution's notifications: docs/content/about/notifications.md of distribution/distribution. */
const docker = Compile(
  Type.Object({
    events: Type.Array(
      Type.Object({ action: text, target: Type.Object({ repository: text, tag: Type.Optional(text) }) }),
      { maxItems: 1_000 },
    ),
  }),
);

/** Harbor's webhook in its default format. */
const harbor = Compile(
  Type.Object({
    type: text,
    event_data: Type.Object({ repository: Type.Object({ repo_full_name: text }) }),
  }),
);

const githubPackage = Type.Object({
  name: text,
  namespace: Type.Optional(text),
  owner: Type.Optional(Type.Object({ login: text })),
});

/** GitHub's events `package` and `registry_package`, for the container registry ghcr.io. */
const github = Compile(
  Type.Object({
    action: text,
    package: Type.Optional(githubPackage),
    registry_package: Type.Optional(githubPackage),
  }),
);

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

const githubPath = (value: unknown): Named[] => {
  if (!github.Check(value)) return [];
  return [value.package, value.registry_package].flatMap((found) => {
    const namespace = found?.namespace ?? found?.owner?.login;
    return found && namespace !== undefined ? [exactly(`${namespace}/${found.name}`)] : [];
  });
};

const namesIn = (value: unknown): Named[] => {
  if (docker.Check(value))
    return value.events.flatMap(({ action, target }) => (action === 'push' ? [exactly(target.repository)] : []));
  if (harbor.Check(value))
    return value.type === 'PUSH_ARTIFACT' ? [exactly(value.event_data.repository.repo_full_name)] : [];
  if (gitlab.Check(value)) return [{ path: value.project.path_with_namespace.toLowerCase(), isProject: true }];
  if (quay.Check(value)) return [exactly(value.repository)];
  return githubPath(value);
};

/** Whether the body of a webhook says that something was pushed to the repository of this path (without the host). */
export const namesRepository = (body: string, path: string): boolean =>
  namesIn(parseJson(Buffer.from(body))).some(
    (named) => named.path === path || (named.isProject && path.startsWith(`${named.path}/`)),
  );
