package io.fibry.files;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.Counters;
import io.fibry.CreationStrategy;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.ReceivingContext;
import io.fibry.StopReport;
import io.fibry.function.Handler;
import io.fibry.message.Envelope;
import io.fibry.time.Schedule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

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
 * <p>Symbolic links are watched as links and are not followed, except for the directory itself. If the directory itself is
 * deleted, the handler is told of that, and the watch stops; one that is renamed is watched under its old name. If a directory
 * inside cannot be read or watched, that is reported as a failure of the actor, and the watch goes on without it; the same
 * happens to what is beyond {@link DirectoryWatchOptions#most()}.
 *
 * <p>Objects are thread-safe. What a thread has written before it changes a file is not visible to the handler by that
 * alone, even if it is a thread of the same program.
 */
public final class DirectoryWatch implements AutoCloseable {
    // One actor calls the handler, and another one, the listener, waits for what the system tells. The listener hands
    // that over and waits until the first actor has noted it. So the events of a directory whose handler is slow wait in the
    // system, which tells that it has lost some, and never in a mailbox.
    //
    // A third actor ends the listener. Its stop phase is before that of the other actors. It first sets
    // hasEnded and then cancels the ask for which the listener waits; the listener first sets handedOver and then
    // reads whether it has ended. So the listener never waits for an actor that is closing the watch.

    /** What the actor is told. */
    private sealed interface Signal {
    }

    private record Heard(WatchKey key, List<WatchEvent<?>> events) implements Signal {
    }

    private record Ended(WatchKey key) implements Signal {
    }

    /** Something could not be handed over, and nothing has come since. */
    private record Lost() implements Signal {
    }

    private enum Alarm {
        /** Nothing has changed for some time. */
        QUIET,
        /** Something has changed some time ago. */
        LONGEST
    }

    /** The handler is to be told what has changed. Reports of its failure name the directory. */
    private record Due(Path directory) implements Signal, Envelope {
        @Override
        public Object content() {
            return new FileChange(FileChange.Kind.MODIFIED, directory);
        }

        @Override
        public Optional<String> about() {
            return Optional.of(directory.toString());
        }
    }

    private final DirectoryWatchOptions options;
    private final Due due;
    private final Handler<List<FileChange>> handler;
    private final ActorScope crew;
    private final WatchService service;
    private final KnownFiles files;
    private final Actor<Signal, Boolean> actor;
    /** Whether the handler is to be told of a change. Only the actor uses it. */
    private boolean isDue;
    /**
     * Set by the actor that ends it, which then reads {@link #handedOver}; the listener does it the other way
     * round.
     */
    private volatile boolean hasEnded;
    /** Written by the listener, which then reads {@link #hasEnded}. */
    private volatile @Nullable CompletableFuture<Boolean> handedOver;
    /**
     * Whether the listener could not hand an event over. Set by the listener before it hands over the next
     * event; cleared by the actor.
     */
    private volatile boolean hasLost;

    private DirectoryWatch(ActorScope crew, WatchService service, DirectoryWatchOptions options,
            Handler<List<FileChange>> handler) throws Exception {
        this.options = options;
        due = new Due(options.directory());
        this.handler = handler;
        this.crew = crew;
        this.service = service;
        files = new KnownFiles(options, service);
        var existing = files.begin();
        actor = options.actors().apply(crew.named(crew.name()))
                .mailbox(MailboxPolicy.unbounded()) // it never has more than one event and two timers
                .<Signal>onStart(this::resume)
                .onExit(() -> crew.stop(Duration.ZERO)) // also if its failure policy has stopped it
                .<Signal, Boolean>newActorWithReturn(this::handle);
        if (options.existing() && !existing.isEmpty()) {
            actor.execAsync(() -> handler.handle(existing));
        }
        crew.named(crew.name() + "-end").strategy(CreationStrategy.fibers()).stopPhase(-1)
                .onExit(this::endListener).newActor((Object nothing) -> {
                });
        crew.named(crew.name() + "-listener").strategy(CreationStrategy.fibers())
                .newReceivingActor((ReceivingContext<Object> context) -> listen());
    }

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
    public static DirectoryWatch open(ActorScope scope, String name, DirectoryWatchOptions options,
            Handler<List<FileChange>> handler) {
        Objects.requireNonNull(scope, "scope");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(handler, "handler");
        var crew = scope.child(name).withoutDefaults().open();
        var isOpen = false;
        try {
            var directory = options.directory();
            if (Files.exists(directory) && !Files.isDirectory(directory)) {
                throw new NotDirectoryException(directory.toString());
            }
            var service = directory.getFileSystem().newWatchService();
            crew.closeOnExit(service);
            var watch = new DirectoryWatch(crew, service, options, handler);
            isOpen = true;
            return watch;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot watch " + options.directory() + ": " + e
                    + (e instanceof FileSystemException
                            ? "; make the directory before it is watched, and check its rights" : ""),
                    e);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("cannot watch " + options.directory() + ": " + e, e);
        } finally {
            if (!isOpen) {
                crew.close();
            }
        }
    }

    // ---- The listener. ----

    private void listen() {
        try {
            while (!hasEnded) {
                var key = hasLost ? service.poll(1, TimeUnit.SECONDS) : service.take();
                if (key == null) {
                    handOver(new Lost());
                    continue;
                }
                handOver(new Heard(key, key.pollEvents()));
                if (!key.reset()) {
                    handOver(new Ended(key));
                }
            }
        } catch (ClosedWatchServiceException | InterruptedException | CancellationException over) {
            return; // the watch has ended
        }
    }

    private void handOver(Signal signal) throws InterruptedException {
        try {
            var noted = actor.sendMessageReturn(signal);
            handedOver = noted;
            if (!hasEnded) {
                noted.get();
            }
        } catch (ExecutionException | MailboxFullException refused) {
            // The actor has stopped, which ends this loop, or a limit of the scope has refused the message.
            hasLost = true;
        }
    }

    private void endListener() throws IOException {
        hasEnded = true;
        service.close();
        var noted = handedOver;
        if (noted != null) {
            noted.cancel(false);
        }
    }

    // ---- The actor. ----

    private Boolean handle(ActorContext<Signal, Boolean> context, Signal signal) throws Exception {
        switch (signal) {
            case Heard(var key, var events) -> {
                noteLoss();
                files.note(key, events);
                await(context);
            }
            case Ended(var key) -> {
                noteLoss();
                files.noteEnd(key);
                await(context);
            }
            case Lost lost -> {
                noteLoss();
                await(context);
            }
            case Due now -> tell(context);
        }
        return true;
    }

    /** Has the directory read again if the listener could not hand an event over. */
    private void noteLoss() {
        if (hasLost) {
            hasLost = false;
            files.noteLoss();
        }
    }

    /** Sets the timers that a restart has cancelled. */
    private void resume(ActorContext<Signal, ?> context) {
        isDue = false;
        await(context);
    }

    private void await(ActorContext<Signal, ?> context) {
        if (!files.mayHaveChanged()) {
            return;
        }
        context.timers().set(Alarm.QUIET, Schedule.once(options.quiet()), due);
        if (!isDue) {
            isDue = true;
            context.timers().set(Alarm.LONGEST, Schedule.once(options.longest()), due);
        }
    }

    private void tell(ActorContext<Signal, Boolean> context) throws Exception {
        context.timers().cancel(Alarm.QUIET);
        context.timers().cancel(Alarm.LONGEST);
        isDue = false;
        List<FileChange> changes;
        try {
            changes = files.changes();
        } catch (ClosedWatchServiceException over) {
            return; // the watch has ended meanwhile
        }
        var unread = files.takeFailure();
        try {
            if (!changes.isEmpty()) {
                handler.handle(changes);
            }
        } catch (Exception e) {
            if (unread != null) {
                e.addSuppressed(unread);
            }
            throw e;
        } finally {
            if (!files.isThere()) {
                crew.stop(Duration.ZERO);
            }
        }
        if (unread != null) {
            throw unread;
        }
    }

    /**
     * Returns the directory.
     *
     * @return the directory, as the options have it
     */
    public Path directory() {
        return options.directory();
    }

    /**
     * Returns how many files and directories the watch knows.
     *
     * @return the number, without the directory itself
     */
    public int size() {
        return files.size();
    }

    /**
     * Returns the counts of the messages of the actor. Notifications of the operating system and of the timers of the
     * watch are messages too.
     *
     * @return the counts
     */
    public Counters counters() {
        return crew.counters();
    }

    /**
     * Ends the watch. A handler that runs may go on until the deadline and is interrupted then. Changes that have not
     * been reported to the handler yet are not reported.
     *
     * @param deadline how long the handler may take
     * @return a report on the stop
     */
    public StopReport stop(Duration deadline) {
        return crew.stop(deadline);
    }

    /** Ends the watch, with the close time-out of the scope as the deadline. */
    @Override
    public void close() {
        crew.close();
    }

    /**
     * Returns a future of the end of the watch.
     *
     * @return the future, which completes when the watch has ended, also by the end of its scope or of the directory
     */
    public CompletableFuture<StopReport> onStopped() {
        return crew.onStopped();
    }

    @Override
    public String toString() {
        return "DirectoryWatch[" + crew.name() + ", " + options.directory() + ", known: " + size() + "]";
    }
}
