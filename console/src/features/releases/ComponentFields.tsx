import type { ReleaseComponentInput } from '../../generated/operations.ts';
import { TextField } from '../../ui/Form.tsx';
import { field } from './labels.ts';
import styles from './Releases.module.css';

/** One image of a release. `prefix` is its path in the input, so that a refusal finds its field. */
export function ComponentFields({ prefix, legend }: { readonly prefix: string; readonly legend: string }) {
  return (
    <fieldset className={styles.component}>
      <legend>{legend}</legend>
      <TextField {...field(`${prefix}name`, 'component.name')} maxLength={64} required />
      <TextField {...field(`${prefix}repository`, 'component.repository')} maxLength={400} required />
      <TextField {...field(`${prefix}tag`, 'component.tag')} placeholder="1.0.0" maxLength={128} />
      <TextField {...field(`${prefix}digest`, 'component.digest')} />
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
