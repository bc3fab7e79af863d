package io.fibry.files;

import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Tells a handler what changes in a directory. An actor calls the handler, with one list of changes after the other; a
 * handler that blocks holds up nothing but the next list.
 *
 * <p>Changes are collected until none has come for some time. A list has each path once, ordered, with what has become of
 * it since the handler was last told of it. So a file that is created and written to is created, one that is created
 * and deleted is in no list, and the handler knows the directory as it is when the changes have stopped. This also
 * holds if the operating system has lost events because there were too many: the directory is then read again, and
 * compared with what the handler was told.
 *
 * <p>Symbolic links are watched as links and are not followed. If the directory itself is deleted, the handler is told of
 * that, and the watch stops. If a directory inside cannot be read or watched, that is reported as a failure of the actor,
 * and the watch goes on without it; the same happens to what is beyond {@link DirectoryWatchOptions#most()}.
 *
 * <p>Objects are thread-safe. What a thread has written before it changes a file is not visible to the handler by that
 * alone, even if it is a thread of the same program. Programs do not implement this interface.
 */
public interface DirectoryWatch extends AutoCloseable {
    /**
     * Begins to watch a directory. All changes that are made after this method has returned are reported.
     *
     * @param scope the scope; the watch ends with it
     * @param name the name of the actor
     * @param options the options
     * @param handler handles the changes
     * @return the watch
     * @throws java.io.UncheckedIOException if the directory does not exist, is not a directory, or cannot be read
     *     or watched, or if it contains more files and directories than the options allow
     * @throws IllegalStateException if the scope is closed
     */
    static DirectoryWatch open(ActorScope scope, String name, DirectoryWatchOptions options,
            Handler<List<FileChange>> handler) {
        return LiveDirectoryWatch.open(scope, name, options, handler);
    }

    /**
     * Returns the directory.
     *
     * @return the directory, as the options have it
     */
    Path directory();

    /**
     * Returns how many files and directories the watch knows.
     *
     * @return the number, without the directory itself
     */
    int size();

    /**
     * Returns the counts of the messages of the actor. Notifications of the operating system and of the timers of the
     * watch are messages too.
     *
     * @return the counts
     */
    Counters counters();

    /**
     * Ends the watch. A handler that runs may go on until the deadline and is interrupted then. Changes that have not
     * been reported to the handler yet are not reported.
     *
     * @param deadline how long the handler may take
     * @return a report on the stop
     */
    StopReport stop(Duration deadline);

    /** Ends the watch, with the close time-out of the scope as the deadline. */
    @Override
    void close();

    /**
     * Returns a future of the end of the watch.
     *
     * @return the future, which completes when the watch has ended, also by the end of its scope or of the directory
     */
    CompletableFuture<StopReport> onStopped();
}
