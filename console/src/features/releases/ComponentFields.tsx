import type { ReleaseComponentInput } from '../../generated/operations.ts';
import { TextField } from '../../ui/Form.tsx';
import { t } from './labels.ts';
import styles from './Releases.module.css';

/** One image of a release. `prefix` is its path in the input, so that a refusal finds its field. */
export function ComponentFields({ prefix, legend }: { readonly prefix: string; readonly legend: string }) {
  return (
    <fieldset className={styles.component}>
      <legend>{legend}</legend>
      <TextField
        name={`${prefix}name`}
        label={t('component.name')}
        hint={t('component.name.hint')}
        placeholder={t('component.name.example')}
        maxLength={64}
        required
      />
      <TextField
        name={`${prefix}repository`}
        label={t('component.repository')}
        hint={t('component.repository.hint')}
        placeholder={t('component.repository.example')}
        maxLength={400}
        required
      />
      <TextField
        name={`${prefix}tag`}
        label={t('component.tag')}
        hint={t('component.tag.hint')}
        placeholder="1.0.0"
        maxLength={128}
      />
      <TextField name={`${prefix}digest`} label={t('component.digest')} hint={t('component.digest.hint')} />
    </fieldset>
  );
}

/** Reads the fields of `ComponentFields`; what was left empty is absent. */
export function componentFrom(data: FormData, prefix: string): ReleaseComponentInput {
  const of = (field: string) => String(data.get(`${prefix}${field}`) ?? '').trim();
  const [tag, digest] = [of('tag'), of('digest')];
  return {
    name: of('name'),
    repository: of('repository'),
    ...(tag === '' ? {} : { tag }),
    ...(digest === '' ? {} : { digest }),
  };
}
