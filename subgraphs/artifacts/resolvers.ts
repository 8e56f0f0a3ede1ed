import type { Resolvers } from './generated.ts';
import { recordResolvers } from './records/resolvers.ts';

export const resolvers: Resolvers = { ...recordResolvers };
