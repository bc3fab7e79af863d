package io.fibry.examples;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.StatefulActor;
import io.fibry.event.ActorEvent;
import io.fibry.event.Failed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

/**
 * Sums the sales in many files by shop. One actor reads, several actors parse, and one actor adds up.
 *
 * <p>Look at the bounded mailboxes. A stage that is behind makes the stage in front of it wait, so a thousand files
 * need no more memory than ten, and no code is written for that. The end is simple as well: the stages are closed from
 * the first to the last, and each of them handles what it has. Then the sum is complete.
 */
final class SalesPipeline {
    private static final MailboxPolicy FEW =
            MailboxPolicy.bounded(8, OverflowPolicy.block()); // pieces of files
    private static final int LINES = 5_000;

    /** Some lines of a file. */
    record Piece(Path file, int firstLine, List<String> lines, boolean last) {
    }

    /** The state of the actor that adds: only this actor uses it. */
    private static final class Totals {
        private final Map<String, Long> cents = new TreeMap<>();
        private int files;

        void add(Map<String, Long> sums) {
            sums.forEach((shop, more) -> cents.merge(shop, more, Long::sum));
        }
    }

    private final AtomicReference<Optional<Throwable>> stopped = new AtomicReference<>();
    private final ActorScope scope = ActorScope.configure("pipeline").listener(this::hear).open();
    private final StatefulActor<Totals, Map<String, Long>, Void> adder;
    private volatile Map<String, Long> sums = Map.of();
    private final List<Actor<Piece, Void>> parsers = new ArrayList<>();
    private final Actor<Path, Void> reader;

    /**
     * Builds the stages, from the last to the first.
     *
     * @param fileDone gets the number of files that are done, from one thread at a time
     */
    SalesPipeline(IntConsumer fileDone) {
        adder = scope.named("adder").mailbox(FEW).state(Totals::new).onExit(totals -> sums = totals.cents)
                .newActor(Totals::add);
        int processors = Runtime.getRuntime().availableProcessors();
        var compute = scope.anonymous().strategy(CreationStrategy.pool(processors)).mailbox(FEW);
        for (int i = 0; i < processors; i++) {
            parsers.add(compute.newActor((Piece piece) -> {
                adder.sendMessage(sums(piece));
                if (piece.last()) {
                    adder.execWithState(totals -> fileDone.accept(++totals.files));
                }
            }));
        }
        reader = scope.named("reader").newActor(this::read); // it may block on a disk, since it runs on a fiber
    }

    private void read(Path file) throws IOException {
        int parser = Math.floorMod(file.hashCode(), parsers.size());
        try (var lines = Files.newBufferedReader(file)) {
            var some = new ArrayList<String>();
            int first = 1;
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                some.add(line);
                if (some.size() == LINES) {
                    parsers.get(parser).sendMessage(new Piece(file, first, some, false));
                    first += LINES;
                    some = new ArrayList<>();
                }
            }
            parsers.get(parser).sendMessage(new Piece(file, first, some, true)); // waits if the parser is behind
        }
    }

    private static Map<String, Long> sums(Piece piece) {
        var sums = new TreeMap<String, Long>();
        for (int i = 0; i < piece.lines().size(); i++) {
            var parts = piece.lines().get(i).split(";", -1);
            try {
                sums.merge(parts[0], Long.parseLong(parts[1]), Long::sum);
            } catch (NumberFormatException | IndexOutOfBoundsException e) {
                throw new IllegalArgumentException(
                        "%s, line %d is not SHOP;CENTS: '%s'".formatted(piece.file(),
                                piece.firstLine() + i, piece.lines().get(i)),
                        e);
            }
        }
        return sums;
    }

    /** Gets the exceptions of the stages, which end the work. */
    private void hear(ActorEvent event) {
        if (event instanceof Failed failed) {
            stop(Optional.of(failed.cause()));
        }
    }

    /** Ends the work. Each stage finishes its current piece, and discards the rest. */
    void cancel() {
        stop(Optional.empty());
    }

    private void stop(Optional<Throwable> why) {
        if (stopped.compareAndSet(null, why)) {
            reader.askExit();
            parsers.forEach(Actor::askExit);
            adder.askExit();
        }
    }

    /**
     * Sums the files and writes the whole result, or nothing.
     *
     * @param files the files to read
     * @param result the file for the result
     * @return true if it was written, false if the work was cancelled
     * @throws IOException if a file cannot be read or is malformed, or if the result cannot be written
     */
    boolean run(List<Path> files, Path result) throws IOException {
        try (scope) {
            files.forEach(reader::sendMessage);
            reader.close(); // handles all files
            parsers.forEach(Actor::close); // then there will be no more pieces
            adder.close(); // then there will be no more sums
        }
        var why = stopped.get();
        if (why != null && why.isPresent()) {
            throw new IOException(why.get().getMessage(), why.get());
        }
        if (why != null) {
            return false;
        }
        var part = result.resolveSibling(result.getFileName() + ".part");
        try {
            Files.write(part,
                    sums.entrySet().stream().map(sum -> sum.getKey() + ";" + sum.getValue()).toList());
            Files.move(part, result, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
        return true;
    }
}
