import { Button, IconButton } from '../../ui/Button.tsx';
import { Select, TextField } from '../../ui/Form.tsx';
import { Icon } from '../../ui/Icon.tsx';
import styles from './AirGap.module.css';
import { t } from './labels.ts';
import { emptyRule, type RuleRow, TRANSPORTS } from './policy-draft.ts';

type RuleFieldsProps = { readonly rules: readonly RuleRow[]; readonly change: (rules: readonly RuleRow[]) => void };

/** Rules of a policy that are being written: each allows a host, on a port and by a transport. */
export function RuleFields({ rules, change }: RuleFieldsProps) {
  const set = (key: number, next: Partial<RuleRow>) =>
    change(rules.map((rule) => (rule.key === key ? { ...rule, ...next } : rule)));
  return (
    <div className="stack" style={{ gap: 8 }}>
      <h3>{t('egressPolicy.rules')}</h3>
      {rules.map(({ key, hostPattern, port, transport }, at) => (
        <fieldset key={key} className={styles.rule}>
          <legend className="sr">{t('egressRule.nth', { n: at + 1 })}</legend>
          <TextField
            name={`policy.allowRules.${at}.hostPattern`}
            label={t('egressRule.host')}
            value={hostPattern}
            maxLength={253}
            onValue={(next) => set(key, { hostPattern: next })}
          />
          <TextField
            name={`policy.allowRules.${at}.port`}
            label={t('egressRule.port')}
            value={port}
            inputMode="numeric"
            placeholder={t('egressRule.any')}
            onValue={(next) => set(key, { port: next })}
          />
          <Select
            name={`policy.allowRules.${at}.transport`}
            label={t('egressRule.transport')}
            value={transport}
            options={TRANSPORTS.map((value) => ({ value, label: t(`egressRule.transport.${value}`) }))}
            onValue={(next) => set(key, { transport: TRANSPORTS.find((one) => one === next) ?? transport })}
          />
          <IconButton
            label={t('egressRule.remove', { name: hostPattern || t('egressRule.nth', { n: at + 1 }) })}
            onClick={() => change(rules.filter((rule) => rule.key !== key))}
          >
            <Icon name="close" />
          </IconButton>
        </fieldset>
      ))}
      <p className="row" style={{ flexWrap: 'wrap' }}>
        <Button size="small" onClick={() => change([...rules, emptyRule(rules)])}>
          <Icon name="plus" size={14} />
          {t('egressRule.add')}
        </Button>
        <span className="small quiet">{t('egressRule.hint')}</span>
      </p>
    </div>
  );
}
