import * as exchanges from './exchanged-tokens.store.ts';
import * as store from './revocation.store.ts';

export const {
  denyExchangedTokensOf,
  denyTokensExchangedFrom,
  lockRevocations,
  insert: insertExchange,
  prune: pruneExchanges,
} = exchanges;
export const { denyAccessTokensOfUsers, endSignInsOfUser } = store;
export const { revokeFamiliesOfApplication, revokeFamiliesOfClient, revokeFamiliesOfUser, revokeFamily } = store;
