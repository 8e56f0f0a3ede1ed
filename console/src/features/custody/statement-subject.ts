import type { ChainStatementFragment } from '../../generated/operations.ts';
import { t } from './labels.ts';

/** Subject of a statement: its component, its environment, or the release. */
export const statementSubject = ({
  component,
  environment,
}: Pick<ChainStatementFragment, 'component' | 'environment'>): string =>
  component ?? environment?.name ?? t('statements.release');
