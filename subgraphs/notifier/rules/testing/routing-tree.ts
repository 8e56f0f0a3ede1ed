import type { Matcher } from '../matcher.ts';
import type { Rule } from '../rule.ts';
import { anAction, aRule, when } from './events.ts';

/** Matcher of Alertmanager on a label. */
export interface LabelMatcher {
  readonly label: string;
  readonly op: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

/** Node of Alertmanager's routing tree. */
export interface Route {
  /** Inherited from the parent where it is not given. */
  readonly receiver?: string | undefined;
  readonly matchers: readonly LabelMatcher[];
  readonly continues: boolean;
  readonly routes: readonly Route[];
}

const OPS = { '=': 'eq', '!=': 'ne', '=~': 'regex', '!~': 'nregex' } as const;
const COMPLEMENTS = { '=': '!=', '!=': '=', '=~': '!~', '!~': '=~' } as const;

type Conjunction = readonly LabelMatcher[];

const asMatcher = ({ label, op, value }: LabelMatcher): Matcher => when(`attributes.${label}`, OPS[op], value);

const complement = (matcher: LabelMatcher): LabelMatcher => ({ ...matcher, op: COMPLEMENTS[matcher.op] });

/** Conjunctions of which exactly one holds where a given one does not: not a; a and not b; a and b and not c. */
const negations = (conjunction: Conjunction): readonly Conjunction[] =>
  conjunction.map((matcher, index) => [...conjunction.slice(0, index), complement(matcher)]);

/** Conjunctions of which exactly one holds where the first holds and none of the others. */
const without = (holds: Conjunction, others: readonly Conjunction[]): readonly Conjunction[] =>
  others.reduce<readonly Conjunction[]>(
    (all, other) => all.flatMap((each) => negations(other).map((negation) => [...each, ...negation])),
    [holds],
  );

interface Place {
  readonly receiver: string;
  /** Conjunctions that lead to the node; at most one of them holds. */
  readonly cases: readonly Conjunction[];
  /** Whether an event that this node takes goes nowhere else, so that a matching rule may end the search. */
  readonly isLast: boolean;
}

interface Draft {
  readonly matchers: Conjunction;
  readonly receiver: string | null;
  readonly continues: boolean;
}

/** Rules of a node: those of its children, then its own for the events that no child takes. */
const draftsOf = (route: Route, { receiver, cases, isLast }: Place): readonly Draft[] => {
  const drafts: Draft[] = [];
  /** Children after which an event still reaches the rules of this node, though it is not for them. */
  const passed: Conjunction[] = [];
  let open = cases;
  for (const child of route.routes) {
    const endsHere = isLast && !child.continues;
    const entered = open.map((each) => [...each, ...child.matchers]);
    drafts.push(...draftsOf(child, { receiver: child.receiver ?? receiver, cases: entered, isLast: endsHere }));
    if (endsHere) continue;
    passed.push(child.matchers);
    if (!child.continues) open = open.flatMap((each) => without(each, [child.matchers]));
  }
  const own = cases.flatMap((each) => without(each, passed));
  drafts.push(...own.map((matchers) => ({ matchers, receiver, continues: !isLast })));
  if (isLast && passed.length > 0)
    drafts.push(...cases.map((matchers) => ({ matchers, receiver: null, continues: false })));
  return drafts;
};

/** Rules that tell the receivers of a routing tree, in its order; the name of a rule is its receiver. */
export const rulesOfTree = (root: Route): Rule[] =>
  draftsOf(root, { receiver: root.receiver ?? '', cases: [[]], isLast: true }).map(
    ({ matchers, receiver, continues }, priority) =>
      aRule({
        id: `rule-${String(priority).padStart(4, '0')}`,
        name: receiver ?? 'End',
        priority,
        matchers: matchers.map(asMatcher),
        continues,
        actions: receiver === null ? [] : [anAction()],
      }),
  );
