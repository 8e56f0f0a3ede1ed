import { cardPath } from '../../lib/card-path.ts';
import type { Card } from '../../lib/search.ts';
import { Badge } from '../../ui/Badge.tsx';
import { PathLink } from '../../ui/Link.tsx';
import { SeverityLabel } from '../../ui/SeverityLabel.tsx';
import { anchorOf } from './Citation.tsx';
import { Feedback } from './Feedback.tsx';
import { Highlighted } from './Highlighted.tsx';
import { labelOr, t } from './labels.ts';
import { ScoreExplanation } from './ScoreExplanation.tsx';
import styles from './Search.module.css';

/** Versions that fit a line. */
const MAX_FIXED = 4;

type ResultCardProps = {
  readonly card: Card;
  readonly number: number;
  readonly query: string;
  readonly isLit: boolean;
  readonly row: { readonly 'aria-current': 'true' | undefined; readonly 'data-row': string };
  /** Records that the card was opened. */
  readonly open: () => void;
};

/** Card of a search result: its title, its matches, its facts and its score. */
export function ResultCard({ card, number, query, isLit, row, open }: ResultCardProps) {
  const { entityType, domain, severity, ecosystem } = card;
  return (
    <li className={styles.card} data-lit={isLit} {...row}>
      <span className={styles.cite} aria-hidden="true">
        {number}
      </span>
      <div className={styles.body}>
        {card.chunkIds.map((id) => (
          <span key={id} id={anchorOf(id)} />
        ))}
        <h3>
          <Title card={card} open={open} />
        </h3>
        <Known card={card} />
        <Summary card={card} />
        <p className={styles.facts}>
          <Badge>{labelOr(`search.type.${entityType}`, entityType)}</Badge>
          {severity !== null && <SeverityLabel severity={severity} />}
          <span>{t(`search.domain.${domain}`)}</span>
          {ecosystem !== null && <span>{ecosystem}</span>}
        </p>
        <div className={styles.under}>
          {/* What has no page of its own is opened here. */}
          <ScoreExplanation card={card} opened={() => cardPath(card) === undefined && open()} />
          <Feedback query={query} entityKey={card.entityKey} title={card.title} />
        </div>
      </div>
    </li>
  );
}

/** Vulnerability's identifier, the versions that fix it, and its advisory. */
function Known({ card: { entityType, entityKey, title, pieces = [] } }: { readonly card: Card }) {
  if (entityType !== 'vulnerability') return null;
  const name = entityKey.slice(entityKey.indexOf(':') + 1);
  const fixed = [...new Set(pieces.flatMap((piece) => piece.fixed))].slice(0, MAX_FIXED);
  const links = [...new Set(pieces.flatMap(({ uri }) => (uri?.startsWith('http') ? [uri] : [])))];
  if (title.includes(name) && fixed.length === 0 && links.length === 0) return null;
  return (
    <p className={styles.facts}>
      {!title.includes(name) && <span className="code">{name}</span>}
      {fixed.length > 0 && <span>{t('search.fixed', { versions: fixed.join(', ') })}</span>}
      {links.slice(0, 1).map((uri) => (
        <a key={uri} href={uri} target="_blank" rel="noreferrer">
          {t('search.advisory')}
        </a>
      ))}
    </p>
  );
}

/** Name of the thing, and the way to its page where it has one. */
function Title({ card, open }: { readonly card: Card; readonly open: () => void }) {
  const marked = card.highlights.find(({ field }) => field === 'title');
  const label = marked === undefined ? card.title : <Highlighted text={marked.text} ranges={marked.ranges} />;
  const path = cardPath(card);
  if (path === undefined)
    return (
      <span tabIndex={-1} data-open>
        {label}
      </span>
    );
  if (card.href !== undefined)
    return (
      <a href={card.href} data-open onClick={open}>
        {label}
      </a>
    );
  return (
    <PathLink path={path} go={open} data-open>
      {label}
    </PathLink>
  );
}

function Summary({ card: { highlights, summary } }: { readonly card: Card }) {
  const body = matchedIn(highlights, 'body');
  return (
    <>
      {body.length === 0 && summary !== '' && <p className={styles.summary}>{summary}</p>}
      {body.map(({ text, ranges }) => (
        <p key={text} className={styles.summary}>
          <Highlighted text={text} ranges={ranges} />
        </p>
      ))}
      {matchedIn(highlights, 'identifiers').map(({ text, ranges }) => (
        <p key={text} className="code soft">
          <Highlighted text={text} ranges={ranges} />
        </p>
      ))}
    </>
  );
}

/** Texts of a field with matches, each once: pieces of one document share names. */
const matchedIn = (highlights: Card['highlights'], requested: string): Card['highlights'] => [
  ...new Map(highlights.filter(({ field }) => field === requested).map((each) => [each.text, each])).values(),
];
