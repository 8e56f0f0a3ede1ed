import { isJsonObject, type JsonObject } from '@landfall/kernel/core/json';
import { CATALOG, isPattern, reaches } from '../access/pattern.ts';
import { ACTIONS, type Plan, type PlanRule } from '../access/plans.ts';
import { isRepositoryName } from '../access/scope.ts';

const refuse = (path: string, reason: string): Error => new Error(`RegistryToken:Plans:${path}: ${reason}.`);

const PLAN_NAME = /^[\w.-]{1,64}$/;
const DEFAULT_ACTIONS: readonly string[] = ['pull'];

/** A field by its name in any case: the environment writes capitals. */
const field = (section: JsonObject, name: string): unknown =>
  Object.entries(section).find(([key]) => key.toLowerCase() === name)?.[1];

/** A list, or what single variables made of one: `{"0": …, "1": …}`. */
const listOf = (value: unknown): readonly unknown[] | undefined => {
  if (Array.isArray(value)) return value;
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value);
  if (!entries.every(([key]) => /^\d{1,4}$/.test(key))) return undefined;
  return entries.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item);
};

const isAction = (value: unknown): value is string => ACTIONS.some((action) => action === value);

const readActions = (value: unknown, path: string): readonly string[] => {
  if (value === undefined) return DEFAULT_ACTIONS;
  const settings = typeof value === 'string' ? value.split(',').map((action) => action.trim()) : listOf(value);
  if (!settings || settings.length === 0) throw refuse(`${path}:actions`, `must be a list of ${ACTIONS.join(', ')}`);
  const unknown = settings.find((action) => !isAction(action));
  if (unknown !== undefined)
    throw refuse(`${path}:actions`, `${JSON.stringify(unknown)} is no action; there is ${ACTIONS.join(', ')}`);
  return [...new Set(settings.filter(isAction))];
};

const readRule = (value: unknown, path: string): PlanRule => {
  const settings = typeof value === 'string' ? ruleText(value) : value;
  if (!isJsonObject(settings))
    throw refuse(path, 'must be {"pattern": …, "actions": […]} or a text such as acme/*:pull,push');
  const pattern = field(settings, 'pattern');
  if (typeof pattern !== 'string' || !isPattern(pattern))
    throw refuse(
      `${path}:pattern`,
      `${JSON.stringify(pattern)} is no pattern; write acme/* (\`*\` stays inside one segment), or ${CATALOG}`,
    );
  const unknown = Object.keys(settings).find((key) => !['pattern', 'actions'].includes(key.toLowerCase()));
  if (unknown !== undefined) throw refuse(`${path}:${unknown}`, 'is no setting');
  return { pattern, actions: readActions(field(settings, 'actions'), path) };
};

/** `acme/*:pull,push`, or a pattern alone; a host's port is no list of actions. */
const ruleText = (text: string): JsonObject => {
  const at = text.lastIndexOf(':');
  const tail = text.slice(at + 1);
  const hasActions = at > 0 && !tail.includes('/') && text !== CATALOG;
  return hasActions ? { pattern: text.slice(0, at), actions: tail } : { pattern: text };
};

const rulesOf = (value: unknown): unknown => {
  if (!isJsonObject(value)) return value;
  return listOf(value) ?? field(value, 'repositories');
};

const readPlan = (name: string, value: unknown): Plan => {
  if (!PLAN_NAME.test(name)) throw refuse(name, 'a plan’s name is made of letters, digits, dot, dash and underscore');
  const rules = rulesOf(value);
  const items = typeof rules === 'string' ? rules.split(/[ ;]+/).filter((text) => text !== '') : listOf(rules);
  if (!items || items.length === 0) throw refuse(`${name}:repositories`, 'must list at least one pattern');
  return { name, repositories: items.map((item, index) => readRule(item, `${name}:repositories:${index}`)) };
};

/**
 * Reads the plans by name.
 * @throws Error naming the setting with an invalid pattern or an unknown action
 */
export const readPlans = (settings: JsonObject): ReadonlyMap<string, Plan> =>
  new Map(Object.entries(settings).map(([name, value]) => [name, readPlan(name, value)]));

/** Checks that a plan covers each private namespace (spec 2.2). @throws Error naming the first uncovered one */
export const refuseUncovered = (plans: ReadonlyMap<string, Plan>, namespaces: readonly string[]): void => {
  const patterns = [...plans.values()].flatMap(({ repositories }) => repositories.map(({ pattern }) => pattern));
  for (const settings of namespaces) {
    const namespace = settings.replace(/(?:\/\*?)?$/, '');
    if (!isRepositoryName(namespace))
      throw new Error(`RegistryToken:Registry:PrivateNamespaces: ${JSON.stringify(settings)} is no namespace.`);
    if (!patterns.some((pattern) => reaches(pattern, namespace)))
      throw new Error(
        `RegistryToken:Registry:PrivateNamespaces: no plan covers ${namespace}; add a pattern to RegistryToken:Plans, or take it off the list.`,
      );
  }
};
