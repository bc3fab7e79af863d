package io.fibry.bench;

import io.fibry.bench.page.ResultsPage;
import io.fibry.bench.page.Summary;
import io.fibry.bench.report.JsonFile;
import io.fibry.bench.report.Results;
import io.fibry.bench.report.Tables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The files of results in a folder. */
record Output(Path folder) {
    /** Writes all files, and replaces those that are there. */
    void write(Results results) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(json(), JsonFile.asText(results));
        Files.writeString(folder.resolve("results.txt"), Tables.asText(results));
        Files.writeString(folder.resolve("results.md"), Tables.asMarkdown(results));
        Files.writeString(page(), ResultsPage.of(results));
        Files.writeString(folder.resolve("summary.svg"), Summary.of(results));
    }

    Path json() {
        return folder.resolve("results.json");
    }

    Path page() {
        return folder.resolve("index.html");
    }
}
