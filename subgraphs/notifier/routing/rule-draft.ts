import { type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf } from '@landfall/kernel/core/ids';
import Type, { type Static } from 'typebox';
import { checkRule, type Rule, rule as ruleSchema } from '../rules/rule.ts';
import { actionInputs, actionsOf, checkValues, matcherInputs, matchersOf } from '../rules/rule-input.ts';

const { name, priority, isEnabled, continues } = ruleSchema.properties;

/** Rule that is not saved; with a ruleId it stands in the place of the saved rule of that id. */
export const ruleDraft = Type.Object({
  ruleId: Type.Optional(idOf('NotificationRule')),
  name: Type.Optional(name),
  priority: Type.Optional(priority),
  isEnabled: Type.Optional(isEnabled),
  matchers: matcherInputs,
  continues: Type.Optional(continues),
  actions: actionInputs,
});

/** Id of a draft that replaces no rule. */
const NEW_RULE = exampleId('NotificationRule');

const below = ({ field, ...fault }: FieldFault): FieldFault => ({ ...fault, field: `rule.${field}` });

/** Rule of a draft. @throws Fault VAL_* naming the fields */
export const ruleOfDraft = (draft: Static<typeof ruleDraft>): Rule => {
  const { ruleId: id = NEW_RULE, name: named = 'draft', priority: order = 0 } = draft;
  const { isEnabled: enabled = true, continues: goesOn = true } = draft;
  const parts = { matchers: matchersOf(draft.matchers), continues: goesOn, actions: actionsOf(draft.actions) };
  const [first, ...rest] = [...checkValues(draft.matchers), ...checkRule(parts)].map(below);
  if (first) throw invalid([first, ...rest]);
  return { id, name: named, priority: order, isEnabled: enabled, ...parts };
};
