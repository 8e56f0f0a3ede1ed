import { people } from '@landfall/kernel/testing/callers';
import type { Chunk } from '../corpus/chunk.ts';
import { answerOf } from '../synthesis/answer.ts';
import type { Synthesis } from './card.ts';
import { questionsApp } from './questions.fixture.ts';

/** A question of the set, and whether what is on record answers it. */
interface AbstentionQuestion {
  readonly text: string;
  readonly kind: 'answerable' | 'unknown' | 'off-topic';
}

/** Results for half of the questions: those by which the rules were made, or those by which they are judged. */
export type Half = 'tuned' | 'held out';

/** Names that no release, package or document of the story has, though other things may be called so. */
const UNKNOWN: Readonly<Record<Half, readonly string[]>> = {
  tuned: ['payments', 'checkout', 'billing', 'inventory', 'loyalty-points', 'mailer'],
  'held out': ['invoicing', 'catalogue', 'warehouse', 'recommendations', 'gift-cards', 'couriers'],
};

const VERSIONS: Readonly<Record<Half, readonly string[]>> = {
  tuned: ['3.1', '1.1.0', '2.0.4'],
  'held out': ['4.2', '1.0.0', '7.3.1'],
};

/** `{}` is a name, `{v}` a name with a version. */
const ABOUT_RELEASES: Readonly<Record<Half, readonly string[]>> = {
  tuned: [
    'why did {v} fail',
    'who approved {v}',
    '{v}',
    'why was {} halted',
    'what happened to {}',
    'is {} deployed to prod',
    'when was {} rolled back',
    'failed deployment of {}',
  ],
  'held out': [
    'what went wrong with {v}',
    'who rejected {v} and why',
    'is {v} ready for staging',
    'why is {} waiting for approval',
    'who promoted {} last',
    'which version of {} runs in prod',
    'status of {}',
    'show me the last rollback of {}',
  ],
};

const OFF_TOPIC: Readonly<Record<Half, readonly string[]>> = {
  tuned: [
    'tell me a joke',
    'what is the weather in Berlin',
    'who won the football world cup',
    'best pizza recipe',
    'translate good morning to French',
    'how tall is Mount Everest',
  ],
  'held out': [
    'weather tomorrow in Lisbon',
    'write a poem about autumn',
    'what is the capital of Peru',
    'recommend a good movie',
    'how many calories has a banana',
    'sing a lullaby',
  ],
};

const ANSWERED_QUESTIONS: Readonly<Record<Half, readonly string[]>> = {
  tuned: [
    'why did shop 1.1.0 fail',
    'who approved shop 1.0.0',
    'shop 1.2.0',
    'what needs approval',
    'what runs in prod',
    'is shop affected by log4j',
    'CVE-2024-45296',
    'prototipe polution',
    'rapid reset',
    'critical lodash',
    'images by digest',
    'how do I rotate the signing key',
    'what happened to shop 1.1.0',
    'log4j not affected',
    'command injection in lodash',
    'how is a promotion approved',
    'lodash@4.17.15',
    'log4j-core',
    'why is path-to-regexp slow',
  ],
  'held out': [
    'what went wrong with shop 1.1.0',
    'shop 1.0.0 approved by whom',
    'release shop 1.1.0',
    'which promotions wait for approval',
    'is shop deployed to prod',
    'does log4j affect the shop',
    'GHSA-jfh8-c2jp-5v3q',
    'comand injection lodash',
    'minimist pollution',
    'high severity lodash',
    'image policy digest',
    'rotate the signing key',
    'status of shop 1.1.0',
    'backtracking path-to-regexp',
    'jinja xmlattr attributes',
    'why is shop 1.2.0 waiting for approval',
  ],
};

const unknownOf = (questionSet: Half): string[] =>
  UNKNOWN[questionSet].flatMap((name, index) =>
    ABOUT_RELEASES[questionSet].map((template) =>
      template
        .replace('{v}', `${name} ${VERSIONS[questionSet][index % VERSIONS[questionSet].length]}`)
        .replace('{}', name),
    ),
  );

/** A half of the set. No name, template or question of one is in the other. */
const questionsOf = (questionSet: Half): readonly AbstentionQuestion[] => [
  // A known entity in a version that does not exist.
  ...[
    ...unknownOf(questionSet),
    ...VERSIONS[questionSet].slice(0, 1).map((version) => `why did shop ${version} fail`),
  ].map((text): AbstentionQuestion => ({ text, kind: 'unknown' })),
  ...OFF_TOPIC[questionSet].map((text): AbstentionQuestion => ({ text, kind: 'off-topic' })),
  ...ANSWERED_QUESTIONS[questionSet].map((text): AbstentionQuestion => ({ text, kind: 'answerable' })),
];

/** Advisories of things that are called as the unknown names and the off-topic words are, or nearly so. */
const NAMESAKES: readonly (readonly [name: string, title: string])[] = [
  ['actions/checkout', 'actions/checkout keeps credentials on disk'],
  ['jose', 'jose accepts a token that fails verification'],
  ['weathers', 'weathers downloads resources over HTTP'],
  ['stripe-payments', 'Missing check of signatures in stripe-payments'],
  ['catalogue-server', 'catalogue-server serves files outside of its directory'],
  ['laravel-mailer', 'Header injection in laravel-mailer'],
  ['recommendations-api', 'Denial of service in recommendations-api'],
  ['world-cup', 'world-cup runs code of others when it is installed'],
];

const namesakes: readonly Chunk[] = NAMESAKES.map(([name, title], index) => ({
  domain: 'findings',
  source: 'osv',
  documentKey: `GHSA-name-sake-000${index}`,
  part: 0,
  entityType: 'vulnerability',
  entityKey: `vulnerability:CVE-2025-9000${index}`,
  title,
  body: `${title}. A deployment that was halted, failed or rolled back is no answer. Update to version 1.1.0 of ${name}.`,
  identifiers: [`CVE-2025-9000${index}`, `pkg:npm/${name}`],
  packages: [name],
  ecosystem: 'npm',
}));

/** Result of a half. */
interface AbstentionResult {
  readonly kind: AbstentionQuestion['kind'];
  readonly asked: number;
  readonly right: number;
  /** Questions that were answered and should not be, or the other way round. */
  readonly wrong: readonly string[];
}

/**
 * Starts an installation for the questions, with advisories of packages of the same names.
 * @param documents further shared documents, which may be found instead of an answer
 */
export const abstentionApp = async (documents: readonly Chunk[] = []) => {
  const app = await questionsApp([...namesakes, ...documents]);
  const caller = { ...people.searcher, tenant: app.tenant };
  const ask = async (q: string): Promise<Synthesis> => (await answerOf(app.query.find, caller, { q })).synthesis;
  return {
    ask,
    async judge(questionSet: Half): Promise<readonly AbstentionResult[]> {
      const results: AbstentionResult[] = [];
      for (const [kind, questions] of Map.groupBy(questionsOf(questionSet), (question) => question.kind)) {
        const wrong: string[] = [];
        for (const { text } of questions) if ((await ask(text)).abstained === (kind === 'answerable')) wrong.push(text);
        results.push({ kind, asked: questions.length, right: questions.length - wrong.length, wrong });
      }
      return results;
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
};
