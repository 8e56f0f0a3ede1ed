import { type TicketRuleSetFragment, TicketRulesDocument } from '../generated/operations.ts';
import { useLiveQuery } from '../lib/graph-hooks.ts';
import { count } from '../lib/i18n.ts';
import { hasScope } from '../lib/session.ts';
import { DataTable } from '../ui/DataTable.tsx';
import { Link } from '../ui/Link.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../ui/QueryResult.tsx';
import { Section } from '../ui/Section.tsx';
import { AdminButton } from './AdminButton.tsx';
import { EditTicketRules } from './EditTicketRules.tsx';
import { t } from './ticket-labels.ts';

type TicketRulesProps = {
  /** Undefined: the rules of the tenant. */
  readonly productId?: string;
  readonly isAsked: boolean;
  readonly ask: (what: 'tickets' | undefined) => void;
};

/** Rules that find tickets in commit messages: those of the tenant, or of a product in their place. */
export function TicketRules({ productId, isAsked: isRequested, ask }: TicketRulesProps) {
  const answer = useLiveQuery(TicketRulesDocument, { productId: productId ?? null }, ['TicketRules']);
  const rules = answer.data?.ticketRules.rules;
  return (
    <Section
      title={t('tickets.title')}
      count={rules && count(rules.length)}
      side={<AdminButton label={t('tickets.edit')} press={() => ask('tickets')} />}
    >
      <QueryResult of={answer} skeleton={<SkeletonRows rows={2} />} fault={t('tickets.fault')}>
        {({ ticketRules }) => (
          <>
            <Rules set={ticketRules} isProduct={productId !== undefined} />
            {isRequested && hasScope('orch:admin') && (
              <EditTicketRules productId={productId} saved={ticketRules} close={() => ask(undefined)} />
            )}
          </>
        )}
      </QueryResult>
    </Section>
  );
}

type RulesProps = { readonly set: TicketRuleSetFragment; readonly isProduct: boolean };

function Rules({ set: { rules }, isProduct }: RulesProps) {
  if (rules.length === 0)
    return (
      <EmptyState verb={isProduct && <Link to="/integrations">{t('tickets.tenant')}</Link>}>
        {t(isProduct ? 'tickets.none.product' : 'tickets.none.tenant')}
      </EmptyState>
    );
  return (
    <DataTable
      label={t('tickets.title')}
      labelled
      rows={rules}
      rowId={({ pattern, linkTemplate }) => `${pattern} ${linkTemplate}`}
      columns={[
        { name: t('tickets.column.pattern'), cell: ({ pattern }) => <span className="code">{pattern}</span> },
        {
          name: t('tickets.column.link'),
          className: 'breaks',
          cell: ({ linkTemplate }) => <span className="code">{linkTemplate}</span>,
        },
      ]}
    />
  );
}
