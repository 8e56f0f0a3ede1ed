import type { Resolvers } from './generated.ts';

export const resolvers: Resolvers = {};
