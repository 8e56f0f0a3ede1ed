import { Fault } from '@landfall/kernel/core/fault';
import {
  type ASTVisitor,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';

/** Limits of one operation; fragments count wherever they are spread. */
interface Limits {
  /** Limit of nested fields; the standard introspection query needs 15. */
  readonly depth: number;
  /** Limit of nested lists, each of which multiplies the number of rows, since types form cycles. */
  readonly lists: number;
  readonly aliases: number;
  /** Limit of root fields. */
  readonly rootFields: number;
  readonly fields: number;
}

export const limits: Limits = { depth: 20, lists: 4, aliases: 60, rootFields: 30, fields: 2_000 };

/** Limit of tokens in a document, where the parser stops. */
export const MAX_TOKENS = 6_000;

const NOTHING: Limits = { depth: 0, lists: 0, aliases: 0, rootFields: 0, fields: 0 };

type Parent = GraphQLNamedType | null | undefined;

const isList = (type: GraphQLOutputType): boolean => isListType(isNonNullType(type) ? type.ofType : type);

/** Type of a field; undefined for an unknown field, which another rule refuses. */
const typeOf = (parent: Parent, { name }: FieldNode): GraphQLOutputType | undefined =>
  isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name.value]?.type : undefined;

/** Counts selections. Each fragment is counted once, however often it is spread, so that counting is linear. */
const counter = (schema: GraphQLSchema, fragmentOf: (name: string) => FragmentDefinitionNode | null | undefined) => {
  const known = new Map<string, Limits>();

  const ofFragment = (name: string): Limits => {
    const found = known.get(name);
    if (found) return found;
    // A fragment that spreads itself is refused by a rule of its own; here it only must end.
    known.set(name, NOTHING);
    const fragment = fragmentOf(name);
    const counted = of(fragment?.selectionSet, fragment && schema.getType(fragment.typeCondition.name.value));
    known.set(name, counted);
    return counted;
  };

  const ofSelection = (selection: SelectionSetNode['selections'][number], parent: Parent): Limits => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return ofFragment(selection.name.value);
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const condition = selection.typeCondition?.name.value;
      return of(selection.selectionSet, condition === undefined ? parent : schema.getType(condition));
    }
    const type = typeOf(parent, selection);
    const inside = of(selection.selectionSet, type && getNamedType(type));
    return {
      depth: inside.depth + 1,
      lists: inside.lists + (type && isList(type) ? 1 : 0),
      aliases: inside.aliases + (selection.alias ? 1 : 0),
      rootFields: 1,
      fields: inside.fields + 1,
    };
  };

  const of = (set: SelectionSetNode | undefined, parent: Parent): Limits =>
    (set?.selections ?? [])
      .map((selection) => ofSelection(selection, parent))
      .reduce(
        (sum, part) => ({
          depth: Math.max(sum.depth, part.depth),
          lists: Math.max(sum.lists, part.lists),
          aliases: sum.aliases + part.aliases,
          rootFields: sum.rootFields + part.rootFields,
          fields: sum.fields + part.fields,
        }),
        NOTHING,
      );

  return of;
};

const names = ['depth', 'lists', 'aliases', 'rootFields', 'fields'] as const;

/** Creates the validation rule, so that a cached document is not counted again. */
export const limitsRule =
  (allowed: Limits) =>
  (context: ValidationContext): ASTVisitor => ({
    OperationDefinition(operation: OperationDefinitionNode) {
      const schema = context.getSchema();
      const of = counter(schema, (name) => context.getFragment(name));
      const counted = of(operation.selectionSet, schema.getRootType(operation.operation));
      for (const name of names.filter((limit) => counted[limit] > allowed[limit])) {
        const details = { limit: name, allowed: allowed[name], asked: counted[name] };
        const message = `The operation asks for ${counted[name]} ${name}; ${allowed[name]} are allowed.`;
        const originalError = new Fault('VAL_TOO_LONG', message, details);
        context.reportError(new GraphQLError(message, { nodes: operation, originalError }));
      }
    },
  });
