import { people } from '@landfall/kernel/testing/callers';
import type { DeployingApp } from '../../../testing/deploying-app.ts';
import * as releaseModel from '../model/releases.model.ts';
import { learn, type Maker, NAMES, reason, TAGS, versionOf } from './act.fixture.ts';
import type { Choices } from './choices.fixture.ts';
import type { Images } from './walked-tenant.fixture.ts';

const MAX_RELEASES = 40;

const componentsOf = (choices: Choices, images: Images, registry: DeployingApp['registry']) => {
  const component = (name: string, path: string) => {
    const tag = choices.one(TAGS);
    return { name, repository: registry.repository(path), tag, digest: images.digestOf(path, tag) };
  };
  const web = component('web', choices.one(['shop/web', 'shop/web', 'shop/web', 'other/web']));
  return choices.once(2) ? [web] : [web, component('api', 'shop/api')];
};

export const createRelease: Maker = (tenant, choices, images) => {
  const { app, as, known } = tenant;
  if (known.releases.length >= MAX_RELEASES && !choices.once(4)) return undefined;
  const name = choices.one(NAMES);
  tenant.count += 1;
  const semver = `1.0.${choices.once(6) ? choices.below(tenant.count) : tenant.count}`;
  const components = componentsOf(choices, images, app.registry);
  const by = choices.one(['operator', 'operator', 'approver'] as const);
  const before = known.products.length;
  const expected = releaseModel.createRelease(known, name, semver, components, people[by].subject);
  const release = expected === undefined ? known.releases.at(-1) : undefined;
  const isNew = known.products.length > before;
  return {
    summary: `create release ${name} ${semver}`,
    expected,
    touches: [release?.product ?? null],
    call: () =>
      app.module.releases.create(as(by), {
        name,
        semver,
        components: components.map(({ digest: _digest, ...component }) => component),
      }),
    made(value) {
      learn(release)(value);
      if (isNew && release) release.product.id = String(Reflect.get(Object(value), 'productId'));
    },
  };
};

export const actOnRelease: Maker = (tenant, choices) => {
  const { app, as, known, digestSets } = tenant;
  const release = choices.recent(known.releases);
  if (!release) return undefined;
  const next = release.status === 'draft' ? 'finalize' : 'markReady';
  const runs: readonly releaseModel.ReleaseAct[] = [
    'finalize',
    'markReady',
    'hold',
    'clearHold',
    'clearHold',
    'deprecate',
  ];
  const run = release.isHeld || choices.once(6) ? choices.one(runs) : next;
  const isStale = choices.once(20);
  // The author finalizes, so that one person is both.
  const by = release.author === people.approver.subject ? 'approver' : 'operator';
  const input = { id: release.id, expectedVersion: versionOf(tenant, release, isStale), reason };
  return {
    summary: `${run} ${release.product.name} ${release.semver}`,
    expected: isStale ? 'RES_VERSION_CONFLICT' : releaseModel.releaseAct(release, run),
    touches: [release.product],
    call: () => app.module.releases[run](as(by), input),
    made(value) {
      const set = Reflect.get(Object(value), 'gatedDigestSet');
      if (typeof set === 'string') digestSets.set(release, set);
    },
  };
};
