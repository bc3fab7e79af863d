package io.fibry.files;

import static io.fibry.testing.Waits.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeLimits;
import io.fibry.event.Failed;
import io.fibry.files.FileChange.Kind;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
class DirectoryWatchTest {
    private static final Duration QUIET = Duration.ofMillis(10);

    @TempDir
    private Path directory;

    private final Recorder recorder = new Recorder();
    private final BlockingQueue<List<FileChange>> told = new LinkedBlockingQueue<>();
    private final Set<Path> toldBefore = new HashSet<>();

    private DirectoryWatchOptions options() {
        return DirectoryWatchOptions.of(directory).withQuiet(QUIET).withSubdirectories(true);
    }

    private DirectoryWatch open(ActorScope scope, DirectoryWatchOptions options) {
        return DirectoryWatch.open(scope, "watch", options, told::add);
    }

    private List<String> next() throws InterruptedException {
        var changes = told.poll(Patience.MILLIS, TimeUnit.MILLISECONDS);
        assertThat(changes).as("changes").isNotNull();
        return changes.stream().map(this::text).toList();
    }

    private String text(FileChange change) {
        return change.kind() + " " + directory.relativize(change.path()).toString().replace('\\', '/');
    }

    /**
     * Waits until all lists together say that. A file is made before it is written: so one that was told before may be told once more,
     * as modified, if the system took long between the two.
     */
    private void isTold(String... expected) {
        var all = new TreeMap<Path, Kind>();
        soon().untilAsserted(() -> {
            for (var list = told.poll(); list != null; list = told.poll()) {
                list.forEach(change -> all.merge(change.path(), change.kind(),
                        (before, now) -> before == Kind.CREATED && now == Kind.MODIFIED ? before : now));
            }
            assertThat(all.entrySet().stream()
                    .map(each -> new FileChange(each.getValue(), each.getKey()))
                    .filter(change -> change.kind() != Kind.MODIFIED || !toldBefore.contains(change.path())
                            || List.of(expected).contains(text(change)))
                    .map(this::text)).containsExactly(expected);
        });
        toldBefore.addAll(all.keySet());
    }

    @Promise("47.1")
    @EveryStrategy
    void whatChangesIsTold(Strategy strategy) throws Exception {
        Files.writeString(directory.resolve("old"), "old");
        try (var scope = Scopes.on(strategy, recorder); var watch = open(scope, options())) {
            assertThat(watch.size()).isEqualTo(1);
            var made = Files.writeString(Files.createTempFile("new", null), "new");
            Files.move(made, directory.resolve("new")); // one event; a file that is written here is modified a moment later
            isTold("CREATED new");
            Files.writeString(directory.resolve("old"), "newer");
            isTold("MODIFIED old");
            Files.delete(directory.resolve("old"));
            isTold("DELETED old");
            assertThat(watch.size()).isEqualTo(1);
            assertThat(watch.directory()).isEqualTo(directory);
            assertThat(watch).hasToString("DirectoryWatch[watch, " + directory + ", known: 1]");
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Promise("47.1")
    @Test
    void directoriesInsideAreWatchedAtAnyDepth() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS, recorder); var watch = open(scope, options())) {
            Files.createDirectories(directory.resolve("a/b/c"));
            Files.writeString(directory.resolve("a/b/c/file"), "text");
            isTold("CREATED a", "CREATED a/b", "CREATED a/b/c", "CREATED a/b/c/file");
            Files.writeString(directory.resolve("a/b/c/other"), "text");
            isTold("CREATED a/b/c/other");
            Files.move(directory.resolve("a/b"), directory.resolve("moved"));
            isTold("DELETED a/b", "DELETED a/b/c", "DELETED a/b/c/file", "DELETED a/b/c/other",
                    "CREATED moved",
                    "CREATED moved/c", "CREATED moved/c/file", "CREATED moved/c/other");
            Files.writeString(directory.resolve("moved/c/late"), "text");
            isTold("CREATED moved/c/late");
            assertThat(watch.size()).isEqualTo(6);
        }
    }

    @Promise("47.1")
    @Test
    void theDirectoryMayBeALink(@TempDir Path elsewhere) throws Exception {
        Files.createDirectory(elsewhere.resolve("inside"));
        Files.writeString(elsewhere.resolve("inside/old"), "text");
        var link = Files.createSymbolicLink(directory.resolve("link"), elsewhere);
        var options = DirectoryWatchOptions.of(link).withQuiet(QUIET).withSubdirectories(true)
                .withExisting(true);
        try (var scope = Scopes.on(Strategy.FIBERS, recorder); var watch = open(scope, options)) {
            isTold("CREATED link/inside", "CREATED link/inside/old");
            Files.move(elsewhere.resolve("inside/old"), elsewhere.resolve("inside/new"));
            isTold("CREATED link/inside/new", "DELETED link/inside/old");
            assertThat(watch.size()).isEqualTo(2);
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Promise("47.1")
    @Test
    void directoriesInsideAreNotWatchedUnlessThatIsWanted() throws Exception {
        Files.createDirectory(directory.resolve("inside"));
        try (var scope = Scopes.on(Strategy.FIBERS, recorder);
                var watch = open(scope, options().withSubdirectories(false))) {
            Files.writeString(directory.resolve("inside/file"), "text");
            Files.writeString(directory.resolve("file"), "text");
            isTold("CREATED file");
            Files.createDirectory(directory.resolve("other"));
            isTold("CREATED other");
            Files.writeString(directory.resolve("other/file"), "text");
            Files.delete(directory.resolve("file"));
            isTold("DELETED file");
            assertThat(watch.size()).isEqualTo(2);
        }
    }

    @Promise("47.1")
    @Test
    void aDirectoryThatIsMovedAwayIsNotWatchedAnyMore(@TempDir Path elsewhere) throws Exception {
        var asked = new CopyOnWriteArrayList<Path>();
        Files.createDirectory(directory.resolve("inside"));
        try (var scope = Scopes.on(Strategy.FIBERS, recorder);
                var watch = open(scope, options().withFilter(asked::add))) {
            Files.move(directory.resolve("inside"), elsewhere.resolve("outside"));
            isTold("DELETED inside");
            Files.writeString(elsewhere.resolve("outside/file"), "text");
            Files.writeString(directory.resolve("last"), "text");
            isTold("CREATED last");
            assertThat(asked).doesNotContain(directory.resolve("inside/file"));
            assertThat(watch.size()).isEqualTo(1);
        }
    }

    @Promise("47.1")
    @Test
    void aFileMayTakeThePlaceOfADirectory() throws Exception {
        Files.createDirectory(directory.resolve("first"));
        Files.writeString(directory.resolve("first/inside"), "text");
        Files.writeString(directory.resolve("second"), "text");
        var known = new HashMap<>(Map.of(directory.resolve("first"), Kind.CREATED,
                directory.resolve("first/inside"), Kind.CREATED, directory.resolve("second"), Kind.CREATED));
        try (var scope = Scopes.on(Strategy.FIBERS, recorder);
                var watch = open(scope, options().withQuiet(Duration.ofMillis(300)))) {
            remove(directory.resolve("first"));
            Files.writeString(directory.resolve("first"), "text");
            Files.delete(directory.resolve("second"));
            Files.createDirectory(directory.resolve("second"));
            Files.writeString(directory.resolve("second/inside"), "text");
            soon().untilAsserted(() -> {
                for (var list = told.poll(); list != null; list = told.poll()) {
                    apply(list, known);
                }
                assertThat(known.keySet()).containsExactlyInAnyOrder(directory.resolve("first"),
                        directory.resolve("second"), directory.resolve("second/inside"));
            });
            assertThat(watch.size()).isEqualTo(3);
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    /** The file comes back when it was looked for, and before its new directory is watched: no event tells of it. */
    @Promise("47.1")
    @Test
    void aFileThatComesBackWhileItsDirectoryIsReadIsNotLost() throws Exception {
        var inside = Files.createDirectory(directory.resolve("inside"));
        var file = Files.writeString(inside.resolve("file"), "text");
        var asked = new AtomicInteger(Integer.MIN_VALUE);
        var known = new HashMap<>(Map.of(inside, Kind.CREATED, file, Kind.CREATED));
        try (var scope = Scopes.on(Strategy.FIBERS, recorder);
                var watch = open(scope, options().withQuiet(Duration.ofMillis(300)).withFilter(path -> {
                    if (path.equals(inside) && asked.incrementAndGet() == 3) { // after the events of its end and its beginning
                        write(file);
                    }
                    return true;
                }))) {
            asked.set(0);
            remove(inside);
            Files.createDirectory(inside);
            soon().until(() -> Files.exists(file));
            soon().untilAsserted(() -> {
                for (var list = told.poll(); list != null; list = told.poll()) {
                    apply(list, known);
                }
                assertThat(known).containsOnlyKeys(inside, file);
                assertThat(watch.size()).isEqualTo(2);
            });
            Files.delete(file);
            isTold("DELETED inside/file");
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    private static void write(Path file) {
        try {
            Files.writeString(file, "text");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Promise("47.2")
    @Test
    void changesAreCollectedUntilNoneComesAny() throws Exception {
        var time = new ManualTime();
        try (var scope = Scopes.on(Strategy.FIBERS, recorder, time);
                var watch = open(scope, options().withQuiet(Duration.ofSeconds(1))
                        .withLongest(Duration.ofSeconds(3)))) {
            Files.writeString(directory.resolve("kept"), "1");
            Files.writeString(directory.resolve("lost"), "1");
            soon().until(() -> time.pending() == 2);
            Files.writeString(directory.resolve("kept"), "2");
            Files.delete(directory.resolve("lost"));
            var heard = watch.counters().handled();
            Files.writeString(directory.resolve("last"), "1");
            soon().until(() -> watch.counters().handled() > heard);
            soon().untilAsserted(() -> {
                time.advance(Duration.ofSeconds(1));
                assertThat(told).isNotEmpty();
            });
            var all = new ArrayList<>(next());
            assertThat(all).contains("CREATED kept").doesNotContain("DELETED lost", "MODIFIED kept");
            assertThat(recorder.of(Failed.class)).isEmpty();
        }
    }

    @Promise("47.2")
    @Test
    void changesWithoutAnEndAreToldOf() throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS, recorder);
                var watch = open(scope,
                        options().withQuiet(Duration.ofMillis(200)).withLongest(Duration.ofMillis(400)))) {
            for (int n = 0; told.isEmpty(); n++) {
                Files.writeString(directory.resolve("busy"), "" + n);
                Thread.onSpinWait();
            }
            assertThat(next()).containsExactly("CREATED busy");
            assertThat(watch.size()).isEqualTo(1);
        }
    }

    @Promise("47.2")
    @Test
    void whatTheSystemHasLostIsFound() throws Exception {
        var release = new CountDownLatch(1);
        var begun = new CountDownLatch(1);
        var known = new HashMap<Path, Kind>();
        try (var scope = Scopes.on(Strategy.FIBERS, recorder);
                var watch = DirectoryWatch.open(scope, "watch", options(), changes -> {
                    begun.countDown();
                    release.await();
                    told.add(changes);
                })) {
            Files.writeString(directory.resolve("first"), "1");
            Waits.on(begun);
            for (int n = 0; n < 2_000; n++) { // more than the 512 events that the JDK keeps
                Files.writeString(directory.resolve("file" + n), "1");
            }
            for (int n = 0; n < 1_000; n++) {
                Files.delete(directory.resolve("file" + n));
            }
            release.countDown();
            soon().until(() -> watch.size() == 1_001);
            soon().untilAsserted(() -> {
                for (var list = told.poll(); list != null; list = told.poll()) {
                    apply(list, known);
                }
                assertThat(known).hasSize(1_001);
            });
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    /** Applies changes to what a program knows; each has to fit. */
    private static void apply(List<FileChange> changes, Map<Path, Kind> known) {
        for (var change : changes) {
            switch (change.kind()) {
                case CREATED -> assertThat(known.put(change.path(), Kind.CREATED)).as("%s", change).isNull();
                case MODIFIED -> assertThat(known).containsKey(change.path());
                case DELETED -> assertThat(known.remove(change.path())).as("%s", change).isNotNull();
            }
        }
    }

    @Promise("47.1")
    @Test
    void afterWhateverHappensTheHandlerKnowsWhatIsThere() throws Exception {
        var random = ThreadLocalRandom.current();
        var known = new HashMap<Path, Kind>();
        try (var scope = Scopes.on(Strategy.FIBERS, recorder);
                var watch = open(scope, options())) {
            for (int n = 0; n < 400; n++) {
                var path = directory.resolve("" + (char) ('a' + random.nextInt(3)))
                        .resolve("" + (char) ('a' + random.nextInt(3))).resolve("" + random.nextInt(4));
                change(path, random.nextInt(10));
            }
            soon().untilAsserted(() -> {
                for (var list = told.poll(); list != null; list = told.poll()) {
                    apply(list, known);
                }
                try (var all = Files.walk(directory)) {
                    assertThat(known.keySet())
                            .containsExactlyInAnyOrderElementsOf(
                                    all.filter(p -> !p.equals(directory)).toList());
                }
                assertThat(watch.size()).isEqualTo(known.size());
            });
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    private void change(Path path, int what) throws IOException {
        switch (what) {
            case 0 -> remove(path.getParent());
            case 1 -> remove(path.getParent().getParent());
            case 2 -> {
                var other = directory.resolve("x" + ThreadLocalRandom.current().nextInt(3));
                remove(other);
                if (Files.exists(path.getParent())) {
                    Files.move(path.getParent(), other);
                }
            }
            case 3 -> Files.deleteIfExists(path);
            default -> {
                Files.createDirectories(path.getParent());
                Files.writeString(path, "text");
            }
        }
    }

    private static void remove(Path tree) throws IOException {
        if (Files.exists(tree)) {
            try (var all = Files.walk(tree)) {
                for (var path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    @Promise("47.1")
    @Test
    void whatIsThereIsToldOnRequestAndWhatIsFilteredNever() throws Exception {
        Files.createDirectories(directory.resolve("in/deep"));
        Files.createDirectories(directory.resolve(".git/deep"));
        Files.writeString(directory.resolve("in/deep/file"), "text");
        Files.writeString(directory.resolve(".git/deep/file"), "text");
        try (var scope = Scopes.on(Strategy.FIBERS, recorder);
                var watch = open(scope, options().withExisting(true)
                        .withFilter(path -> !path.getFileName().toString().startsWith(".")))) {
            assertThat(next()).containsExactly("CREATED in", "CREATED in/deep", "CREATED in/deep/file");
            Files.writeString(directory.resolve(".git/deep/file"), "other");
            Files.writeString(directory.resolve(".hidden"), "other");
            Files.writeString(directory.resolve("in/deep/file"), "other");
            isTold("MODIFIED in/deep/file");
            assertThat(watch.size()).isEqualTo(3);
        }
    }

    @Promise("47.5")
    @Test
    void theEndOfTheDirectoryIsTheEndOfTheWatch() throws Exception {
        var inside = Files.createDirectory(directory.resolve("inside"));
        Files.writeString(inside.resolve("file"), "text");
        try (var scope = Scopes.on(Strategy.FIBERS, recorder)) {
            var watch = DirectoryWatch.open(scope, "watch", DirectoryWatchOptions.of(inside).withQuiet(QUIET),
                    told::add);
            remove(inside);
            assertThat(Waits.on(watch.onStopped()).stopped()).isTrue();
            isTold("DELETED inside", "DELETED inside/file");
        }
    }

    @Promise("47.5")
    @Test
    void aWatchEndsWithItsScopeAndByItsPolicy() throws Exception {
        DirectoryWatch watch;
        try (var scope = Scopes.on(Strategy.FIBERS, recorder)) {
            watch = open(scope, options());
            var failing = DirectoryWatch.open(scope, "failing",
                    options().withActors(actor -> actor.onFailure(FailurePolicy.stop())), changes -> {
                        throw new IllegalStateException("on purpose");
                    });
            Files.writeString(directory.resolve("file"), "text");
            Waits.on(failing.onStopped());
            assertThat(recorder.await(Failed.class, 1)).singleElement().satisfies(failed -> {
                assertThat(failed.about()).hasValue(directory.toString());
                assertThat(failed.message()).hasValue(FileChange.class);
            });
            assertThat(watch.onStopped()).isNotDone();
        }
        assertThat(Waits.on(watch.onStopped()).stopped()).isTrue();
    }

    @Promise("47.5")
    @EveryStrategy
    void aHandlerMayStopItsWatch(Strategy strategy) throws Exception {
        var watch = new CompletableFuture<DirectoryWatch>();
        try (var scope = Scopes.on(strategy, recorder)) {
            watch.complete(DirectoryWatch.open(scope, "watch", options(), changes -> watch.get().close()));
            Files.writeString(directory.resolve("file"), "text");
            assertThat(Waits.on(watch.get().onStopped()).stuck()).isEmpty();
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Promise("47.5")
    @Test
    void aFailureIsReportedAndTheNextChangesAreTold() throws Exception {
        var calls = new AtomicInteger();
        try (var scope = Scopes.on(Strategy.FIBERS, recorder);
                var watch = DirectoryWatch.open(scope, "watch",
                        options().withActors(actor -> actor.onFailure(FailurePolicy.restart())), changes -> {
                            if (calls.incrementAndGet() == 1) {
                                throw new IllegalStateException("on purpose");
                            }
                            told.add(changes);
                        })) {
            Files.writeString(directory.resolve("first"), "text");
            assertThat(recorder.await(Failed.class, 1)).hasSize(1);
            Files.writeString(directory.resolve("second"), "text");
            isTold("CREATED second");
            assertThat(watch.size()).isEqualTo(2);
        }
    }

    @Promise("47.5")
    @EveryStrategy
    void aFilterThatThrowsLeavesOutItsPathOnly(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder);
                var watch = open(scope, options().withActors(actor -> actor.mailbox(
                        MailboxPolicy.bounded(1, OverflowPolicy.reject()))).withFilter(path -> {
                            if (path.endsWith("bad")) {
                                throw new IllegalStateException("on purpose");
                            }
                            return true;
                        }))) {
            Files.writeString(directory.resolve("bad"), "text");
            assertThat(recorder.await(Failed.class, 1).getFirst().cause()).hasMessage("on purpose");
            Files.writeString(directory.resolve("good"), "text");
            isTold("CREATED good");
            assertThat(watch.size()).isEqualTo(1);
        }
    }

    @Promise("47.2")
    @Test
    void whatALimitOfTheScopeRefusesIsFoundWhenThereIsRoom() throws Exception {
        refusedIsFoundWhenThereIsRoom(OverflowPolicy.reject());
    }

    @Promise("47.2")
    @Test
    void whatALimitOfTheScopeRefusesByAnExceptionIsFoundWhenThereIsRoom() throws Exception {
        refusedIsFoundWhenThereIsRoom(OverflowPolicy.fail());
    }

    private void refusedIsFoundWhenThereIsRoom(OverflowPolicy overflow) throws Exception {
        var limits = ScopeLimits.none().waiting(1).overflow(overflow);
        var release = new CountDownLatch(1);
        var begun = new CountDownLatch(1);
        try (var scope = ActorSystem.configure("small").limits(limits).listener(recorder).open();
                var watch = open(scope, options())) {
            var busy = scope.anonymous().newActor((String message) -> {
                begun.countDown();
                release.await();
            });
            busy.sendMessage("first");
            try {
                Waits.on(begun);
                busy.sendMessage("takes the only place");
                Files.writeString(directory.resolve("refused"), "text");
                soon().until(() -> watch.counters().refused() > 0);
            } finally {
                release.countDown();
            }
            soon().until(() -> busy.counters().handled() == 2);
            isTold("CREATED refused");
        }
    }

    @Promise("47.5")
    @Test
    void noMoreIsWatchedThanTheOptionsAllow() throws Exception {
        Files.writeString(directory.resolve("one"), "text");
        Files.writeString(directory.resolve("two"), "text");
        try (var scope = Scopes.on(Strategy.FIBERS, recorder)) {
            assertThatThrownBy(() -> open(scope, options().withMost(1)))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("more than 1 files").hasMessageContaining("withMost");
            try (var watch = open(scope, options().withMost(2))) {
                Files.writeString(directory.resolve("three"), "text");
                var failed = recorder.await(Failed.class, 1);
                assertThat(failed.getFirst().cause()).hasMessageContaining("more than 2 files")
                        .hasMessageContaining("three");
                Files.delete(directory.resolve("one"));
                isTold("DELETED one");
                assertThat(watch.size()).isEqualTo(1);
            }
        }
    }

    @Promise("47.5")
    @Test
    void whatIsBeyondTheLimitIsNeitherKeptNorEntered(@TempDir Path elsewhere) throws Exception {
        var tree = Files.createDirectory(elsewhere.resolve("tree"));
        for (int i = 0; i < 50; i++) {
            Files.writeString(Files.createDirectory(tree.resolve("inside" + i)).resolve("file"), "text");
        }
        var tested = new ConcurrentLinkedQueue<Path>();
        var few = options().withMost(2).withFilter(tested::add);
        try (var scope = Scopes.on(Strategy.FIBERS, recorder); var watch = open(scope, few)) {
            Files.move(tree, directory.resolve("tree"));
            var failed = recorder.await(Failed.class, 1).getFirst().cause();
            assertThat(failed).hasMessageContaining("more than 2 files");
            assertThat(failed.getSuppressed()).hasSize(10);
            assertThat(tested).filteredOn(path -> path.endsWith("file")).hasSizeLessThanOrEqualTo(1);
            assertThat(watch.size()).isEqualTo(2);
            tested.clear();
            assertThatThrownBy(() -> open(scope, few)).hasMessageContaining("more than 2 files");
            assertThat(tested).hasSizeLessThanOrEqualTo(4);
        }
    }

    @Test
    void whatCannotBeWatchedIsRefused() throws Exception {
        var file = Files.writeString(directory.resolve("file"), "text");
        try (var scope = Scopes.on(Strategy.FIBERS, recorder)) {
            assertThatThrownBy(() -> open(scope, DirectoryWatchOptions.of(file)))
                    .isInstanceOf(UncheckedIOException.class).hasMessageContaining(file.toString())
                    .hasCauseInstanceOf(NotDirectoryException.class);
            assertThatThrownBy(() -> open(scope, DirectoryWatchOptions.of(directory.resolve("none"))))
                    .isInstanceOf(UncheckedIOException.class).hasCauseInstanceOf(NoSuchFileException.class);
            assertThatThrownBy(() -> options().withQuiet(Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("quiet");
            assertThatThrownBy(() -> options().withLongest(Duration.ofNanos(1)))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("longest");
            assertThatThrownBy(() -> options().withMost(0)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("most");
        }
    }
}
