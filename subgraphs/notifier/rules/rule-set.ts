import type { FieldFault } from '@landfall/kernel/core/fault';
import { createLru } from '@landfall/kernel/core/lru';
import type { NotificationEvent } from '../events/event.ts';
import { type CompiledMatcher, compileMatchers, type Matcher } from './matcher.ts';
import type { Rule } from './rule.ts';

/** Outcome of one rule for one event, with the reason. */
export type RuleOutcome =
  | { readonly rule: Rule; readonly kind: 'matched' }
  | { readonly rule: Rule; readonly kind: 'disabled' }
  /** A rule before it matched and does not continue. */
  | { readonly rule: Rule; readonly kind: 'not_reached'; readonly endedBy: Rule }
  /** The first matcher that did not match, its place in the rule, and the value that it saw: null for none. */
  | {
      readonly rule: Rule;
      readonly kind: 'failed';
      readonly index: number;
      readonly matcher: Matcher;
      readonly seen: string | null;
    }
  /** A matcher cannot be compiled, so the rule matches nothing. */
  | { readonly rule: Rule; readonly kind: 'invalid'; readonly faults: readonly FieldFault[] };

/** Answer of a rule set to one event. */
interface Evaluation {
  /** Matching rules in the order in which they were tried. */
  readonly matched: readonly Rule[];
  /** Outcome of every rule, computed when it is asked for. */
  readonly explain: () => readonly RuleOutcome[];
}

/** Rules that are ready to be applied. */
export interface RuleSet {
  /** Rules in the order in which they are tried. */
  readonly rules: readonly Rule[];
  readonly evaluate: (event: NotificationEvent) => Evaluation;
  /** Work of an evaluation in microseconds, at most. */
  readonly workOf: (event: NotificationEvent) => number;
  /** Matchers of all rules. */
  readonly matcherCount: number;
}

interface CompiledRule {
  readonly rule: Rule;
  readonly matchers: readonly CompiledMatcher[];
  readonly faults: readonly FieldFault[];
}

/** Rule that matches events of one kind, with its matchers of other values. */
interface Candidate {
  readonly rule: Rule;
  readonly matchers: readonly CompiledMatcher[];
}

/** Kinds whose candidates are remembered. Producers choose kinds, so their number is bounded. */
const MAX_KINDS = 500;

const isOfKind = ({ matcher }: CompiledMatcher): boolean => matcher.path === 'kind';

const byPriority = (a: Rule, b: Rule): number => a.priority - b.priority || (a.id < b.id ? -1 : Number(a.id > b.id));

const matchesEvery = (matchers: readonly CompiledMatcher[], event: NotificationEvent): boolean => {
  for (const { matches } of matchers) if (!matches(event)) return false;
  return true;
};

/** Operators that rule out most events first, and those that parse a text last. */
const costOf = ({ matcher: { op }, work }: CompiledMatcher): number => {
  if (op === 'eq' || op === 'in') return 0;
  return work ? 2 : 1;
};

const byCost = (a: CompiledMatcher, b: CompiledMatcher): number => costOf(a) - costOf(b);

const candidatesFor = (rules: readonly CompiledRule[], event: NotificationEvent): readonly Candidate[] =>
  rules
    .filter(({ rule, faults }) => rule.isEnabled && faults.length === 0)
    .filter(({ matchers }) => matchesEvery(matchers.filter(isOfKind), event))
    .map(({ rule, matchers }) => ({ rule, matchers: matchers.filter((each) => !isOfKind(each)).sort(byCost) }));

const outcomeOf = ({ rule, matchers, faults }: CompiledRule, event: NotificationEvent): RuleOutcome => {
  if (!rule.isEnabled) return { rule, kind: 'disabled' };
  if (faults.length > 0) return { rule, kind: 'invalid', faults };
  const index = matchers.findIndex(({ matches }) => !matches(event));
  const failed = matchers[index];
  return failed
    ? { rule, kind: 'failed', index, matcher: failed.matcher, seen: failed.seen(event) }
    : { rule, kind: 'matched' };
};

const explain = (rules: readonly CompiledRule[], event: NotificationEvent): readonly RuleOutcome[] => {
  let endedBy: Rule | undefined;
  return rules.map((each) => {
    const { rule } = each;
    if (endedBy && rule.isEnabled) return { rule, kind: 'not_reached', endedBy };
    const outcome = outcomeOf(each, event);
    if (outcome.kind === 'matched' && !rule.continues) endedBy = rule;
    return outcome;
  });
};

/** Compiles rules, of which the candidates for a kind of event are computed once. */
export const createRuleSet = (unordered: readonly Rule[]): RuleSet => {
  const rules = unordered.toSorted(byPriority);
  const compiled = rules.map((rule): CompiledRule => {
    const { compiled: matchers, faults } = compileMatchers(rule.matchers);
    return { rule, matchers, faults };
  });
  const byKind = createLru<string, readonly Candidate[]>({ most: MAX_KINDS });
  const candidates = (event: NotificationEvent): readonly Candidate[] => {
    const known = byKind.get(event.kind);
    if (known) return known;
    const found = candidatesFor(compiled, event);
    byKind.set(event.kind, found);
    return found;
  };
  const all = compiled
    .filter(({ rule, faults }) => rule.isEnabled && faults.length === 0)
    .flatMap((each) => each.matchers);
  const works = all.flatMap(({ work }) => work ?? []);
  const matcherCount = all.length;
  // The others take a tenth of a microsecond at most.
  const least = Math.ceil((matcherCount - works.length + rules.length) / 10);
  return {
    rules,
    matcherCount,
    workOf: (event) => works.reduce((sum, work) => sum + work(event), least),
    evaluate(event) {
      const matched: Rule[] = [];
      for (const { rule, matchers } of candidates(event)) {
        if (!matchesEvery(matchers, event)) continue;
        matched.push(rule);
        if (!rule.continues) break;
      }
      return { matched, explain: () => explain(compiled, event) };
    },
  };
};
