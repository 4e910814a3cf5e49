import {
  AliasNode,
  ColumnNode,
  DummyDriver,
  IdentifierNode,
  Kysely,
  type OperationNode,
  OrderByItemNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  RawNode,
  ReferenceNode,
  ReturningNode,
  SelectAllNode,
  type SelectionNode,
  SelectQueryNode,
} from 'kysely';

const columnNames = new Map<string, string>();

/** The column of a property, as the ORM's naming strategy writes it. What is in snake case already stays. */
export const columnNameOf = (property: string): string => {
  const known = columnNames.get(property);
  if (known !== undefined) return known;
  const name = property.replace(/([^A-Z])([A-Z])/g, '$1_$2').toLowerCase();
  columnNames.set(property, name);
  return name;
};

/** The name of a selected column or alias; undefined for an expression in an alias of its own. */
const outputNameOf = (selection: OperationNode): string | undefined => {
  if (AliasNode.is(selection)) return IdentifierNode.is(selection.alias) ? selection.alias.name : undefined;
  const column = ReferenceNode.is(selection) ? selection.column : selection;
  if (SelectAllNode.is(column)) throw new Error('Select columns by their names: all of them are not named as properties');
  return ColumnNode.is(column) ? column.column.name : undefined;
};

/**
 * Property names become column names while a statement is written, so that no other pass over it is needed and rows are left as they
 * arrive: what a statement returns is named in the statement. Everything inside it is in snake case, also the columns of common
 * table expressions and subqueries. What it returns, and what a builder inside a template returns, keeps its name.
 */
class PropertyQueryCompiler extends PostgresQueryCompiler {
  protected override sanitizeIdentifier(name: string): string {
    return super.sanitizeIdentifier(columnNameOf(name));
  }

  protected override visitSelection(node: SelectionNode): void {
    if (!this.#isReturned(this.nodeStack.length - 2)) return super.visitSelection(node);
    const { selection } = node;
    const name = outputNameOf(selection);
    if (name === undefined) return super.visitSelection(node);
    this.visitNode(AliasNode.is(selection) ? selection.node : selection);
    if (AliasNode.is(selection) || columnNameOf(name) !== name) this.append(` as ${this.#verbatim(name)}`);
  }

  protected override visitAlias(node: AliasNode): void {
    if (!this.parentNode || !RawNode.is(this.parentNode) || !IdentifierNode.is(node.alias)) return super.visitAlias(node);
    this.visitNode(node.node);
    this.append(` as ${this.#verbatim(node.alias.name)}`);
  }

  /** `order by` may name an alias of the same `select`. */
  protected override visitReference(node: ReferenceNode): void {
    const select = this.nodeStack.at(-4);
    const isAlias =
      !node.table &&
      this.parentNode &&
      OrderByItemNode.is(this.parentNode) &&
      select &&
      SelectQueryNode.is(select) &&
      this.#isReturned(this.nodeStack.length - 4) &&
      ColumnNode.is(node.column) &&
      select.selections?.some(({ selection }) => AliasNode.is(selection) && outputNameOf(selection) === outputNameOf(node));
    if (isAlias) this.append(this.#verbatim(outputNameOf(node) ?? ''));
    else super.visitReference(node);
  }

  /** Whether the caller sees the rows of the statement at this place of the stack, or a template around it does. */
  #isReturned(at: number): boolean {
    const owner = this.nodeStack[at];
    if (owner && ReturningNode.is(owner)) return this.#isReturned(at - 1);
    const around = this.nodeStack[at - 1];
    return around === undefined || RawNode.is(around);
  }

  #verbatim(name: string): string {
    return `"${super.sanitizeIdentifier(name)}"`;
  }
}

class NoDriver extends DummyDriver {
  override acquireConnection(): never {
    throw new Error('Statements run in the transaction of an entity manager: pass them to rows, firstRow or execute');
  }
}

/** Builds statements, by the names of properties; `rows`, `firstRow` and `execute` run them. */
export const queryBuilder = <Tables>(): Kysely<Tables> =>
  new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new NoDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PropertyQueryCompiler(),
    },
  });
