import type { Event } from '@landfall/kernel/events/read';
import { type Data, dataIn, listIn, present, textIn } from './event-data.ts';
import type { FactsOf } from './facts.ts';
import { sentence, withLine } from './words.ts';
import type { World } from './world.ts';

type Release = FactsOf<'Release'>;
type Component = Release['components'][number];

const componentOf = (data: Data): Component => ({
  name: textIn(data, 'name') ?? '',
  repository: textIn(data, 'repository') ?? '',
  tag: textIn(data, 'requestedTag') ?? '',
  digest: textIn(data, 'digest') ?? null,
});

/** What finalizing fixed: each component's digest. */
const pinned = ({ components }: Release, data: Data): Component[] => {
  const digests = new Map(listIn(data, 'components').map((each) => [textIn(each, 'name'), textIn(each, 'digest')]));
  return components.map((component) => ({ ...component, digest: digests.get(component.name) ?? component.digest }));
};

const without = ({ components }: Release, name: string | undefined): Component[] =>
  components.filter((component) => component.name !== name);

const created = (data: Data, at: string): Release => ({
  name: textIn(data, 'name') ?? '',
  semver: textIn(data, 'semver') ?? '',
  ...present({ notes: textIn(data, 'notes') }),
  status: 'draft',
  components: listIn(data, 'components').map(componentOf),
  evidence: [],
  landed: {},
  at,
  story: withLine([], at, 'draft created'),
  decisions: [],
});

/** What each event changes of a release. `said` is the line of its story, `decided` that of what people decided. */
const changes: Readonly<
  Record<string, (release: Release, data: Data) => Partial<Release> & { readonly said?: string; decided?: string }>
> = {
  'release.addComponent': (release, data) => {
    const component = componentOf(dataIn(data, 'component'));
    return { components: [...without(release, component.name), component] };
  },
  'release.updateComponent': (release, data) => {
    const component = componentOf(dataIn(data, 'component'));
    return { components: release.components.map((each) => (each.name === component.name ? component : each)) };
  },
  'release.removeComponent': (release, data) => ({ components: without(release, textIn(data, 'component')) }),
  'release.finalize': (release, data) => ({
    status: 'finalized',
    components: pinned(release, data),
    ...present({ gatedDigestSet: textIn(data, 'gatedDigestSet') }),
    said: 'finalized: every tag became a digest',
  }),
  'release.ready': () => ({ status: 'ready', said: 'ready to be promoted' }),
  'release.evidence': ({ evidence }, data) => {
    const type = textIn(data, 'type') ?? 'evidence';
    return { evidence: [...new Set([...evidence, type])], said: `evidence recorded: ${type}` };
  },
  'release.hold': (_, data) => {
    const reason = textIn(data, 'reason') ?? 'no reason given';
    return { hold: reason, decided: `put on hold: ${sentence(reason)}` };
  },
  'release.clearHold': () => ({ hold: '', decided: 'the hold was lifted' }),
  'release.deprecate': (_, data) => ({
    status: 'deprecated',
    decided: `deprecated: ${sentence(textIn(data, 'reason') ?? 'no reason given')}`,
  }),
};

/** What happened to releases. */
export const foldRelease = (world: World, { type, entityId: id, data, at: when }: Event): void => {
  const at = when.toISOString();
  if (type === 'release.create') {
    world.set('Release', id, created(data, at));
    return;
  }
  const change = changes[type];
  if (change === undefined) return;
  world.change('Release', id, (release) => {
    const { said, decided, ...fields } = change(release, data);
    const line = said ?? decided;
    return {
      ...fields,
      story: line === undefined ? release.story : withLine(release.story, at, line),
      decisions: decided === undefined ? release.decisions : withLine(release.decisions, at, decided),
    };
  });
};
