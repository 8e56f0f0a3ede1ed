import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import type { Price, PriceList } from './price-list.ts';

type Values = Readonly<Record<string, unknown>>;

const ONE: Price = { weight: 1, isNamed: false, size: 1, slicing: [], sized: [] };
const NOTHING: Price = { ...ONE, weight: 0 };

interface Counting {
  readonly schema: GraphQLSchema;
  readonly prices: PriceList;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Values;
  readonly defaults: Values;
  /** Computed costs by fragment and list size: a fragment costs the same wherever it is spread. */
  readonly known: Map<string, number>;
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? Math.max(0, value) : undefined;

/** Number from a literal or variable; the schema's default if absent. */
const numberIn = (value: ValueNode | undefined, fallback: unknown, { variables, defaults }: Counting) => {
  if (value?.kind === Kind.INT) return numberOf(Number(value.value));
  if (value?.kind !== Kind.VARIABLE) return numberOf(fallback);
  const name = value.name.value;
  return numberOf(variables[name] ?? defaults[name] ?? fallback);
};

/** Number of objects that a field returns: from its argument, else from the price list. */
const sizeOf = (node: FieldNode, typeName: string, { size, slicing }: Price, counting: Counting): number => {
  const type = counting.schema.getType(typeName);
  const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined;
  const asked = slicing.flatMap((name) => {
    const given = node.arguments?.find((each) => each.name.value === name)?.value;
    const fallback: unknown = field?.args.find((each) => each.name === name)?.defaultValue;
    return numberIn(given, fallback, counting) ?? [];
  });
  return asked.length === 0 ? size : Math.max(...asked);
};

interface Sized {
  readonly fields: readonly string[];
  readonly size: number;
}

const UNSIZED: Sized = { fields: [], size: 1 };

const priceOf = (typeName: string, { name }: FieldNode, { prices }: Counting): Price =>
  name.value.startsWith('__') ? NOTHING : (prices.get(typeName)?.get(name.value) ?? ONE);

const costOfField = (node: FieldNode, typeName: string, around: Sized, counting: Counting): number => {
  const price = priceOf(typeName, node, counting);
  const type = counting.schema.getType(typeName);
  const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined;
  if (!field) return 0;
  const asked = sizeOf(node, typeName, price, counting);
  const isSizedHere = price.sized.length === 0;
  const times = around.fields.includes(node.name.value) ? around.size : isSizedHere ? asked : 1;
  const inside = isSizedHere ? UNSIZED : { fields: price.sized, size: asked };
  const each = costOfSet(node.selectionSet, getNamedType(field.type).name, inside, counting);
  // A named weight is of the act of answering; an object's own weight is of each object.
  return price.isNamed ? price.weight + times * each : times * (price.weight + each);
};

const costOfFragment = (name: string, around: Sized, counting: Counting): number => {
  const key = `${name} ${around.size} ${around.fields.join()}`;
  const found = counting.known.get(key);
  if (found !== undefined) return found;
  // A fragment that spreads itself is refused by a rule of its own; here it only must end.
  counting.known.set(key, 0);
  const fragment = counting.fragments.get(name);
  const cost = fragment ? costOfSet(fragment.selectionSet, fragment.typeCondition.name.value, around, counting) : 0;
  counting.known.set(key, cost);
  return cost;
};

function costOfSet(set: SelectionSetNode | undefined, typeName: string, around: Sized, counting: Counting): number {
  let sum = 0;
  for (const selection of set?.selections ?? []) {
    if (selection.kind === Kind.FIELD) sum += costOfField(selection, typeName, around, counting);
    else if (selection.kind === Kind.FRAGMENT_SPREAD) sum += costOfFragment(selection.name.value, around, counting);
    else {
      const condition = selection.typeCondition?.name.value ?? typeName;
      sum += costOfSet(selection.selectionSet, condition, around, counting);
    }
  }
  return sum;
}

const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode): Values =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === Kind.INT ? [[variable.name.value, Number(defaultValue.value)]] : [],
    ),
  );

/** Upper bound of an operation's cost: field weights times list sizes; `@skip` and `@include` do not reduce it. */
export const costOf = (
  schema: GraphQLSchema,
  prices: PriceList,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Values,
): number => {
  const fragments = new Map(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
    ),
  );
  const counting = { schema, prices, fragments, variables, defaults: defaultsOf(operation), known: new Map() };
  const root = schema.getRootType(operation.operation);
  return root ? Math.ceil(costOfSet(operation.selectionSet, root.name, UNSIZED, counting)) : 0;
};
