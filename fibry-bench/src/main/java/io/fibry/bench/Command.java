package io.fibry.bench;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;

/** The command on the command line. */
sealed interface Command {
    /** Prints how the program is used. */
    record Help() implements Command {
    }

    /** Prints the list of experiments. */
    record Names() implements Command {
    }

    /** Runs experiments, on so many processors if a number is given. */
    record Measure(List<Experiment> experiments, Settings settings, Path folder,
            OptionalInt processors) implements Command {
    }

    /** Prints what has changed between two files of results. */
    record Compare(Path before, Path after) implements Command {
    }

    /** Writes the page, the chart and the tables of results measured before. */
    record Render(Path results, Path folder) implements Command {
    }
}
