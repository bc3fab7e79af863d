package io.fibry.files;

import io.fibry.ActorBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * The options of a {@link DirectoryWatch}: which directory it watches, and when it tells of changes. Options are immutable:
 * each {@code with…} method returns another object.
 *
 * <pre>{@code
 * DirectoryWatchOptions options = DirectoryWatchOptions.of(sources).withSubdirectories(true)
 *         .withFilter(path -> !path.endsWith(".git"))
 *         .withQuiet(Duration.ofMillis(500));
 * }</pre>
 *
 * @param directory the directory
 * @param subdirectories whether the directories inside are watched as well, at any depth
 * @param existing whether what is there at the beginning is told of, as created
 * @param quiet how long nothing may change before the handler is told of changes
 * @param longest the longest time for which a change is held back because other changes follow
 * @param most the maximum number of files and directories
 * @param filter which files and directories are watched; nothing below a directory that is left out is watched either
 * @param actors the settings of the actor that calls the handler
 */
public record DirectoryWatchOptions(Path directory, boolean subdirectories, boolean existing, Duration quiet,
        Duration longest, int most, Predicate<? super Path> filter, UnaryOperator<ActorBuilder> actors) {
    private static final Duration QUIET = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final int MOST = 100_000;

    /**
     * Checks the numbers.
     *
     * @param directory not null
     * @param subdirectories any value
     * @param existing any value
     * @param quiet more than zero
     * @param longest not less than {@code quiet}
     * @param most at least one
     * @param filter not null
     * @param actors not null
     */
    public DirectoryWatchOptions {
        Objects.requireNonNull(directory, "directory");
        Objects.requireNonNull(filter, "filter");
        Objects.requireNonNull(actors, "actors");
        if (!Objects.requireNonNull(quiet, "quiet").isPositive()) {
            throw new IllegalArgumentException("quiet must be more than zero: " + quiet);
        }
        if (Objects.requireNonNull(longest, "longest").compareTo(quiet) < 0) {
            throw new IllegalArgumentException(
                    "longest must not be less than quiet, " + quiet + ": " + longest);
        }
        if (most < 1) {
            throw new IllegalArgumentException("most must be at least 1: " + most);
        }
    }

    /**
     * Returns options for a directory without the directories inside. The handler gets the changes when nothing has
     * changed for 100 milliseconds, and after two seconds at the latest. The directory may contain at most 100,000
     * files and directories.
     *
     * @param directory the directory
     * @return the options
     */
    public static DirectoryWatchOptions of(Path directory) {
        return new DirectoryWatchOptions(directory, false, false, QUIET, LONGEST, MOST, path -> true,
                UnaryOperator.identity());
    }

    /**
     * Returns the same options with or without the directories inside.
     *
     * @param watched whether they are watched as well
     * @return the new options
     */
    public DirectoryWatchOptions withSubdirectories(boolean watched) {
        return new DirectoryWatchOptions(directory, watched, existing, quiet, longest, most, filter, actors);
    }

    /**
     * Returns the same options for a handler that is told of what is there at the beginning, or is not.
     *
     * @param told whether it is told
     * @return the new options
     */
    public DirectoryWatchOptions withExisting(boolean told) {
        return new DirectoryWatchOptions(directory, subdirectories, told, quiet, longest, most, filter,
                actors);
    }

    /**
     * Returns the same options with another quiet time. If there is no pause of that length, changes are reported
     * after {@link #longest()}. If {@code longest} is shorter than the quiet time, it is set to the quiet time.
     *
     * @param time the time, more than zero
     * @return the new options
     */
    public DirectoryWatchOptions withQuiet(Duration time) {
        Objects.requireNonNull(time, "time");
        return new DirectoryWatchOptions(directory, subdirectories, existing, time,
                longest.compareTo(time) < 0 ? time : longest, most, filter, actors);
    }

    /**
     * Returns the same options with another time after which a change is told of at the latest.
     *
     * @param time the time, not less than {@link #quiet()}
     * @return the new options
     */
    public DirectoryWatchOptions withLongest(Duration time) {
        return new DirectoryWatchOptions(directory, subdirectories, existing, quiet, time, most, filter,
                actors);
    }

    /**
     * Returns the same options with another limit of files and directories.
     *
     * @param entries the limit, at least one
     * @return the new options
     */
    public DirectoryWatchOptions withMost(int entries) {
        return new DirectoryWatchOptions(directory, subdirectories, existing, quiet, longest, entries, filter,
                actors);
    }

    /**
     * Returns the same options with a filter. The thread that opens the watch calls the filter first; after that the
     * actor of the watch calls it.
     *
     * @param watched tells whether a file or directory is watched
     * @return the new options
     */
    public DirectoryWatchOptions withFilter(Predicate<? super Path> watched) {
        return new DirectoryWatchOptions(directory, subdirectories, existing, quiet, longest, most, watched,
                actors);
    }

    /**
     * Returns the same options with other settings of the actor that calls the handler: its strategy, its failure policy and
     * its hooks, for example.
     *
     * @param settings adds settings to a builder
     * @return the new options
     */
    public DirectoryWatchOptions withActors(UnaryOperator<ActorBuilder> settings) {
        return new DirectoryWatchOptions(directory, subdirectories, existing, quiet, longest, most, filter,
                settings);
    }
}
