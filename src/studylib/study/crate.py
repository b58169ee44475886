"""The report as a research object: RO-Crate metadata with a run for each notebook (Process Run Crate)."""

from datetime import datetime, timedelta

from studylib.core.files import file_hash, write_json
from studylib.study import stamps
from studylib.study.citation import read_citation
from studylib.study.record import load_results
from studylib.study.verifier import data_hash

#: Versions that today's archives and readers understand.
_VERSION = "1.1"
_PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
_SHA256 = "https://w3id.org/ro/terms/workflow-run#sha256"
_FORMATS = {
    ".gz": "application/gzip",
    ".html": "text/html",
    ".ipynb": "application/x-ipynb+json",
    ".json": "application/json",
    ".py": "text/x-python",
    ".yml": "application/yaml",
}
_BUNDLE = {
    "evidence.json": "What binds each verdict to its rule, its measurement and the run behind it",
    "ledger.json": "The ledger of claims as data",
    "verdicts.json": "All verdicts",
    "codecheck.yml": "What a codechecker is to compute again (CODECHECK)",
    "verify.py": "Checks every hash and derives every verdict again; needs Python 3.11 only",
}


def write_crate(layout, study, profile):
    """Write ``ro-crate-metadata.json``; no other file is touched.

    Parameters
    ----------
    layout : Layout
    study : Study
    profile : str
    """
    from rocrate.rocrate import ROCrate  # a quarter of a second

    found = {n.name: stamps.read(layout, n.name) for n in study.notebooks.values()}
    found = {name: stamp for name, stamp in found.items() if stamp}
    if not found:
        return  # nothing was run, so there is nothing to describe
    crate = ROCrate(version=_VERSION)
    crate.metadata.extra_terms["sha256"] = _SHA256
    maker = _Maker(crate, layout, study, profile)
    maker.root(max(stamp["finished"] for stamp in found.values()))
    for name, comment in _BUNDLE.items():
        hashed = name != "evidence.json"  # which holds the hash of this crate, and is written after it
        maker.file(layout.folder / name, name, description=comment, hashed=hashed, will_be=not hashed)
    for name, stamp in found.items():
        maker.run(study.notebook(name), stamp)
    write_json(layout.folder / "ro-crate-metadata.json", crate.metadata.generate())


class _Maker:
    """Adds entities to a crate.  Ids are given and times are those of stamps: equal bytes every time."""

    def __init__(self, crate, layout, study, profile):
        self.crate, self.layout, self.study, self.profile = crate, layout, study, profile
        self.citation = read_citation(study.root)

    def add(self, id_, type_, **properties):
        """A contextual entity; without its empty properties."""
        from rocrate.model import ContextEntity

        given = {key: value for key, value in properties.items() if value}
        return self.crate.add(ContextEntity(self.crate, id_, properties={"@type": type_, **given}))

    def root(self, finished):
        """Describe the report as a whole."""
        root = self.crate.root_dataset
        title = self.citation.title or self.study.title
        root["name"] = f"{title}: report of the profile {self.profile}"
        root["description"] = (
            f"{self.study.subtitle or self.study.title}. Every checkable statement of "
            f"{len(self.study.ledger.sources)} source(s), with our own number and a verdict."
        )
        root["datePublished"] = finished
        root["conformsTo"] = self.add(
            _PROFILE, "CreativeWork", name="Process Run Crate", version=_PROFILE.rsplit("/", 1)[1]
        )
        if self.citation.license:
            spdx = f"https://spdx.org/licenses/{self.citation.license}"
            root["license"] = self.add(
                spdx, "CreativeWork", name=self.citation.license, identifier=self.citation.license
            )
        if self.citation.authors:
            root["author"] = [
                self.add(f"#author-{k}", "Person" if author.is_person else "Organization", name=author.name)
                for k, author in enumerate(self.citation.authors, start=1)
            ]
        for key, value in (("url", self.citation.repository), ("identifier", self.citation.reference)):
            if value:
                root[key] = value
        root["citation"] = [
            self.add(
                f"#source-{name}",
                "CreativeWork",
                name=source.title,
                author=source.author,
                datePublished=source.year,
                identifier=source.identifier,
                url=source.link,
            )
            for name, source in self.study.ledger.sources.items()
        ]
        self.file(self.layout.index, "Report: the ledger with all verdicts", hashed=False)

    def file(self, path, name, *, type_="File", hashed=True, will_be=False, **properties):
        """A file of the report; None if it is not there, nor will be."""
        if not path.is_file() and not will_be:
            return None
        place = path.relative_to(self.layout.folder).as_posix()
        properties |= {"@type": type_, "name": name, "encodingFormat": _FORMATS.get(path.suffix, "")}
        if hashed:
            properties |= {"sha256": file_hash(path), "contentSize": str(path.stat().st_size)}
        return self.crate.add_file(dest_path=place, properties=properties)

    def data(self, path, hash_):
        """A data file that a notebook read; it is no part of the report."""
        identifier = self.study.data[path].identifier if path in self.study.data else ""
        return self.add(
            f"#data-{path}",
            "CreativeWork",
            name=path,
            identifier=identifier,
            url=identifier.replace("doi:", "https://doi.org/"),
            sha256="" if hash_ == "absent" else hash_,
            description="was absent; other data, simulated or bundled, stood in for it"
            if hash_ == "absent"
            else "",
        )

    def software(self, environment):
        """studylib in the version that ran, with the packages that computed."""
        version = environment.get("studylib", "")
        others = ("studylib", "system", "processor")
        packages = ", ".join(f"{name} {value}" for name, value in environment.items() if name not in others)
        return self.add(
            f"#studylib-{version}-{data_hash(environment)[:8]}",
            "SoftwareApplication",
            name="studylib",
            softwareVersion=version,
            softwareRequirements=packages,
        )

    def run(self, notebook, stamp):
        """The run of a notebook: with what, from what, to what, and when."""
        name, layout = notebook.name, self.layout
        executed = self.file(
            layout.executed(name),
            f"{name}.ipynb",
            type_=["File", "SoftwareSourceCode", "ComputationalWorkflow"],
            description="The notebook as it was run, with its outputs",
            programmingLanguage=self.add("#jupyter", "ComputerLanguage", name="Jupyter notebook, Python"),
        )
        simulated = (load_results(layout, name) or {"simulated": []})["simulated"]
        results = [
            self.file(layout.results(name), f"What {name} measured"),
            self.file(layout.tasks(name), f"The tasks of {name}, each with the hash of its result"),
            self.file(layout.raw(name), "The results of those tasks, a line of JSON each, compressed"),
            self.file(layout.stamp(name), f"What the results of {name} depend on, and where they came from"),
            self.file(layout.page(name), f"{name} as a page", hashed=False),
        ]
        ended = datetime.fromisoformat(stamp["finished"])
        parameters = ", ".join(f"{key}={value!r}" for key, value in stamp["inputs"]["parameters"].items())
        said = (
            f"Parameters: {parameters}. Commit {stamp['commit']}. {stamp['computing_s']:.0f} s of computing "
            "in all, earlier runs that were resumed included"
        )
        action = self.add(
            f"#run-{name}",
            "CreateAction",
            name=f"Run of {name} with the profile {self.profile}",
            description=f"{said}; stand-ins for {', '.join(simulated)}." if simulated else f"{said}.",
            instrument=[one for one in (executed, self.software(stamp["environment"])) if one],
            object=[self.data(path, hash_) for path, hash_ in stamp["inputs"]["data"].items()],
            result=[one for one in results if one],
            startTime=(ended - timedelta(seconds=round(stamp["wall_time_s"]))).isoformat(),
            endTime=stamp["finished"],
        )
        self.crate.root_dataset.append_to("mentions", action)
