import type { ChainStatementFragment } from '../../generated/operations.ts';
import { t } from './labels.ts';

/** What tells a link's statements apart for people: the component or the environment, or that it is of the release. */
export const statementSubject = ({
  component,
  environment,
}: Pick<ChainStatementFragment, 'component' | 'environment'>): string =>
  component ?? environment?.name ?? t('statements.release');
