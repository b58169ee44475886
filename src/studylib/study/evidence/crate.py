"""The report as a research object: RO-Crate metadata with a run for each notebook (Process Run Crate)."""

from datetime import datetime, timedelta

import yaml

from studylib.core.files import write_json
from studylib.study.freshness import stamps
from studylib.study.shapes import Maybe, fits

_PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
_BUNDLE = {
    "index.html": "The report: what came out, source by source",
    "claims.html": "Every claim with its rule and verdict",
    "evidence.json": "The sha256 of every file, and every verdict with its rule and measurement",
    "ledger.json": "The ledger of claims as data",
    "verify.py": "Checks every hash and derives every verdict again; needs Python 3.11 only",
}


def write_crate(layout, study, profile):
    """Write ``ro-crate-metadata.json``, from stamps alone; nothing if nothing was run."""
    from rocrate.model import ContextEntity
    from rocrate.rocrate import ROCrate  # a quarter of a second

    runs = {n.name: stamp for n in study.notebooks.values() if (stamp := stamps.read(layout, n.name))}
    if not runs:
        return
    crate, citation = ROCrate(version="1.1"), _citation(study.root)
    root = crate.root_dataset

    def add(id_, kind, **properties):
        given = {key: value for key, value in properties.items() if value}
        return crate.add(ContextEntity(crate, id_, properties={"@type": kind, **given}))

    def file(path, name, kind="File"):
        place = path.relative_to(layout.folder).as_posix()
        return crate.add_file(dest_path=place, properties={"@type": kind, "name": name})

    root["name"] = f"{citation.get('title', study.title)}: report of the profile {profile}"
    root["description"] = f"{study.subtitle or study.title}. Every checkable statement, with a verdict."
    root["datePublished"] = max(stamp["finished"] for stamp in runs.values())
    root["conformsTo"] = add(_PROFILE, "CreativeWork", name="Process Run Crate", version=_PROFILE[-3:])
    if name := citation.get("license"):
        root["license"] = add(f"https://spdx.org/licenses/{name}", "CreativeWork", name=name, identifier=name)
    root["author"] = [
        add(f"#author-{k}", "Organization" if "name" in author else "Person", name=_name(author))
        for k, author in enumerate(citation.get("authors", ()), start=1)
    ]
    root["citation"] = [
        add(
            f"#source-{name}", "CreativeWork", name=s.title, author=s.author, datePublished=s.year, url=s.link
        )
        for name, s in study.ledger.sources.items()
    ]
    for name, comment in _BUNDLE.items():
        file(layout.folder / name, comment)
    for name, stamp in runs.items():
        packages = ", ".join(f"{package} {version}" for package, version in stamp["environment"].items())
        ended, inputs = datetime.fromisoformat(stamp["finished"]), stamp["inputs"]
        executed = file(layout.executed(name), f"{name} as it was run", ["File", "SoftwareSourceCode"])
        software = add(
            f"#software-{name}", "SoftwareApplication", name="studylib", softwareRequirements=packages
        )
        places = {layout.results: "measurements", layout.tasks: "tasks", layout.stamp: "inputs and origin"}
        run = add(
            f"#run-{name}",
            "CreateAction",
            name=f"Run of {name} with the profile {profile}",
            description=f"Commit {stamp['commit']}, parameters {inputs['parameters']}",
            instrument=[executed, software],
            object=[
                add(f"#data-{path}", "CreativeWork", name=path, identifier=study.data[path].identifier)
                for path in inputs["data"]
                if path in study.data
            ],
            result=[file(place(name), f"{name}: {what}") for place, what in places.items()],
            startTime=(ended - timedelta(seconds=round(stamp["wall_time_s"]))).isoformat(),
            endTime=stamp["finished"],
        )
        root.append_to("mentions", run)
    write_json(layout.folder / "ro-crate-metadata.json", crate.metadata.generate())


def _citation(folder):
    """What ``CITATION.cff`` of a study says; nothing if there is no such file."""
    path = folder / "CITATION.cff"
    try:
        citation = yaml.safe_load(path.read_text(encoding="utf-8-sig")) or {} if path.is_file() else {}
    except yaml.YAMLError as error:
        raise ValueError(f"{path}: is not valid YAML.") from error
    if not fits(citation, {"authors": Maybe([dict])}):
        raise ValueError(f"{path}: must be a table, in which 'authors' is a list of tables.")
    return citation


def _name(author):
    parts = (author.get("given-names"), author.get("name-particle"), author.get("family-names"))
    return str(author.get("name") or " ".join(map(str, filter(None, parts))))
