import type { Event } from '@landfall/kernel/events/read';
import type { EntityIndex } from './entity-index.ts';
import { type Data, dataIn, listIn, present, textIn } from './event-data.ts';
import type { FactsOf } from './facts.ts';
import { asSentence, type StoryLine, withLine } from './phrases.ts';

type Release = FactsOf<'Release'>;
type Component = Release['components'][number];

const componentOf = (data: Data): Component => ({
  name: textIn(data, 'name') ?? '',
  repository: textIn(data, 'repository') ?? '',
  tag: textIn(data, 'requestedTag') ?? '',
  digest: textIn(data, 'digest') ?? null,
});

/** Digests pinned by finalizing. */
const pinned = ({ components }: Release, data: Data): Component[] => {
  const digests = new Map(listIn(data, 'components').map((each) => [textIn(each, 'name'), textIn(each, 'digest')]));
  return components.map((component) => ({ ...component, digest: digests.get(component.name) ?? component.digest }));
};

const without = ({ components }: Release, name: string | undefined): Component[] =>
  components.filter((component) => component.name !== name);

const created = (data: Data, at: string, by: string): Release => ({
  name: textIn(data, 'name') ?? '',
  semver: textIn(data, 'semver') ?? '',
  ...present({ notes: textIn(data, 'notes') }),
  status: 'draft',
  components: listIn(data, 'components').map(componentOf),
  evidence: [],
  landed: {},
  at,
  story: withLine([], at, { text: 'draft created', by }),
  decisions: [],
});

interface Change extends Partial<Release> {
  readonly storyLine?: Exclude<StoryLine, string>;
  readonly decided?: Exclude<StoryLine, string>;
}

/** Changes by event type; `by` is the actor of the line. */
const changes: Readonly<Record<string, (release: Release, data: Data, by: string) => Change>> = {
  'release.addComponent': (release, data) => {
    const component = componentOf(dataIn(data, 'component'));
    return { components: [...without(release, component.name), component] };
  },
  'release.updateComponent': (release, data) => {
    const component = componentOf(dataIn(data, 'component'));
    return { components: release.components.map((each) => (each.name === component.name ? component : each)) };
  },
  'release.removeComponent': (release, data) => ({ components: without(release, textIn(data, 'component')) }),
  'release.finalize': (release, data, by) => ({
    status: 'finalized',
    components: pinned(release, data),
    ...present({ gatedDigestSet: textIn(data, 'gatedDigestSet') }),
    storyLine: { text: 'finalized', by, more: ': every tag became a digest' },
  }),
  'release.ready': () => ({ status: 'ready', storyLine: { text: 'ready to be promoted' } }),
  'release.evidence': ({ evidence }, data, by) => {
    const type = textIn(data, 'type') ?? 'evidence';
    return {
      evidence: [...new Set([...evidence, type])],
      storyLine: { text: 'evidence recorded', by, more: `: ${type}` },
    };
  },
  'release.hold': (_, data, by) => {
    const reason = textIn(data, 'reason') ?? 'no reason given';
    return { hold: reason, decided: { text: 'put on hold', by, more: `: ${asSentence(reason)}` } };
  },
  'release.clearHold': (_, _data, by) => ({ hold: '', decided: { text: 'the hold was lifted', by } }),
  'release.deprecate': (_, data, by) => ({
    status: 'deprecated',
    decided: { text: 'deprecated', by, more: `: ${asSentence(textIn(data, 'reason') ?? 'no reason given')}` },
  }),
};

export const foldRelease = (entities: EntityIndex, { type, entityId: id, actor, data, at: when }: Event): void => {
  const at = when.toISOString();
  if (type === 'release.create') {
    entities.set('Release', id, created(data, at, actor));
    return;
  }
  const change = Object.hasOwn(changes, type) ? changes[type] : undefined;
  if (change === undefined) return;
  entities.change('Release', id, (release) => {
    const { storyLine, decided, ...fields } = change(release, data, actor);
    const line = storyLine ?? decided;
    return {
      ...fields,
      story: line === undefined ? release.story : withLine(release.story, at, line),
      decisions: decided === undefined ? release.decisions : withLine(release.decisions, at, decided),
    };
  });
};
