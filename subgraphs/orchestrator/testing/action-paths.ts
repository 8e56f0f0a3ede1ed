import { classify, type FailureSubject, reasons } from '../running/deployments/anatomy.ts';

/** Every path that some cause leads to, of a failure at this place. */
export const actionPaths = (place: FailureSubject): string[] => {
  const paths = reasons.map((reason) => classify('execution', reason, '', place).actionPath);
  return [...new Set(paths.filter((path) => path !== null))];
};
