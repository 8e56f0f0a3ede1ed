import { classify, type FailureSubject, reasons } from '../running/deployments/anatomy.ts';

/** Lists the paths of suggested actions of all causes, for a failure with these ids. */
export const actionPaths = (subject: FailureSubject): string[] => {
  const paths = reasons.map((reason) => classify('execution', reason, '', subject).actionPath);
  return [...new Set(paths.filter((path) => path !== null))];
};
