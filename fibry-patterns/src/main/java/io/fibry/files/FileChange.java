package io.fibry.files;

import java.nio.file.Path;
import java.util.Objects;

/**
 * A change of a file or a directory since the handler was last told of it.
 *
 * @param kind the kind of change
 * @param path the file or directory: the watched directory itself, if it was deleted, or a path below it
 */
public record FileChange(Kind kind, Path path) {
    /** The kinds of changes. */
    public enum Kind {
        /** It is new. */
        CREATED,
        /**
         * It is a file that was written to, or whose attributes have changed; or a file has taken the place of a directory,
         * or a directory that of a file.
         */
        MODIFIED,
        /** It is gone. */
        DELETED
    }

    /**
     * Makes a change.
     *
     * @param kind not null
     * @param path not null
     */
    public FileChange {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(path, "path");
    }
}
