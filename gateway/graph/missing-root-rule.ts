import { type ASTVisitor, GraphQLError, type ValidationContext } from 'graphql';

/** Refuses an operation of a kind that the schema has no root for, which the standard's rules let through. */
export const missingRootRule = (context: ValidationContext): ASTVisitor => ({
  OperationDefinition(node) {
    if (!context.getSchema().getRootType(node.operation))
      context.reportError(new GraphQLError(`The graph has no ${node.operation}.`, { nodes: node }));
  },
});
