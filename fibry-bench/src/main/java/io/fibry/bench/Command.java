package io.fibry.bench;

import java.nio.file.Path;
import java.util.List;

/** What the command line asks for. */
sealed interface Command {
    /** Prints how the program is used. */
    record Help() implements Command {
    }

    /** Prints what experiments there are. */
    record Names() implements Command {
    }

    /** Runs experiments. */
    record Measure(List<Experiment> experiments, Settings settings, Path folder) implements Command {
    }

    /** Says what has changed between two files of results. */
    record Compare(Path before, Path after) implements Command {
    }

    /** Writes the page, the chart and the tables of results measured before. */
    record Render(Path results, Path folder) implements Command {
    }
}
