export { erasePerson } from './use-cases/erase-person.ts';
