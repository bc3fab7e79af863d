package io.fibry.files;

import io.fibry.files.FileChange.Kind;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the handler of a watch knows of a directory, and what may have changed since. Only the actor of the watch uses
 * this object, and before that the thread that creates it. The exception is {@link #size()}, which any thread may
 * call.
 */
final class KnownFiles {
    /** What is compared when the directory is read again. */
    private record Stamp(boolean isDirectory, FileTime modified, long size) {
        static Stamp of(BasicFileAttributes attributes) {
            return new Stamp(attributes.isDirectory(), attributes.lastModifiedTime(), attributes.size());
        }
    }

    /** How many failures of one look are kept. */
    private static final int TOLD = 10;

    private final DirectoryWatchOptions options;
    private final WatchService service;
    private final Map<Path, Stamp> known = new HashMap<>();
    private final Map<WatchKey, Path> directories = new HashMap<>();
    private final Map<Path, WatchKey> keys = new HashMap<>();
    /** The paths that something was heard of. */
    private final Set<Path> heardOf = new HashSet<>();
    /** The directories of which events are lost. */
    private final Set<Path> toRead = new HashSet<>();
    private @Nullable Exception failure;
    private boolean hasBegun;
    /** Written by the actor. */
    private volatile int size;

    KnownFiles(DirectoryWatchOptions options, WatchService service) {
        this.options = options;
        this.service = service;
    }

    int size() {
        return size;
    }

    boolean mayHaveChanged() {
        return !heardOf.isEmpty() || !toRead.isEmpty() || failure != null;
    }

    /** Watches the directory for the first time; returns what is in it. */
    List<FileChange> begin() throws Exception {
        watch(options.directory());
        var changes = new TreeMap<Path, Kind>();
        read(options.directory(), changes, new HashSet<>());
        if (failure != null) {
            throw failure;
        }
        hasBegun = true;
        return told(changes);
    }

    /** Notes that events are lost, and it is not known of which directory. */
    void noteLoss() {
        toRead.add(options.directory());
    }

    /** Returns whether a path is watched. What the filter throws is reported with the next changes; the path is left out. */
    private boolean isWatched(Path path) {
        try {
            return options.filter().test(path);
        } catch (RuntimeException e) {
            fail(e);
            return false;
        }
    }

    /** Notes what the system tells of a directory. */
    void note(WatchKey key, List<WatchEvent<?>> events) {
        var directory = directories.get(key);
        if (directory == null) {
            return; // the directory is gone
        }
        for (var event : events) {
            if (event.kind() == StandardWatchEventKinds.OVERFLOW) {
                toRead.add(directory);
            } else {
                var path = directory.resolve((Path) event.context());
                if (isWatched(path)) {
                    heardOf.add(path);
                }
            }
        }
    }

    /** Notes that a key is not valid any more: its directory is gone, or another one has its name. */
    void noteEnd(WatchKey key) {
        var directory = directories.remove(key);
        if (directory != null) {
            keys.remove(directory, key);
            heardOf.add(directory);
        }
    }

    /** Tells whether the directory of the watch is there and is watched. */
    boolean isThere() {
        return keys.containsKey(options.directory());
    }

    /**
     * Returns the first failure to read, or of the filter, since the last call, with the next ones suppressed; null if
     * there is none. The failure is then cleared.
     */
    @Nullable Exception takeFailure() {
        var thrown = failure;
        failure = null;
        return thrown;
    }

    /** Finds out what has changed since the last call. */
    List<FileChange> changes() {
        var paths = List.copyOf(heardOf);
        var toCompare = new HashSet<>(toRead);
        heardOf.clear();
        toRead.clear();
        var changes = new TreeMap<Path, Kind>();
        var gone = new HashSet<Path>();
        for (var path : paths) {
            look(path, changes, gone, toCompare);
        }
        compare(toCompare, changes, gone);
        if (!gone.isEmpty()) {
            forget(gone, changes);
        }
        return told(changes);
    }

    private List<FileChange> told(SortedMap<Path, Kind> changes) {
        size = known.size();
        return changes.entrySet().stream().map(each -> new FileChange(each.getValue(), each.getKey()))
                .toList();
    }

    /** Looks at a path that something was heard of. */
    private void look(Path path, Map<Path, Kind> changes, Set<Path> gone,
            Set<Path> toCompare) {
        var now = stamp(path);
        var before = known.get(path);
        if (path.equals(options.directory())) {
            if (now == null || !now.isDirectory()) {
                gone.add(path);
            } else {
                toCompare.add(path); // it may be another one by that name
            }
        } else if (now == null) {
            if (before != null) {
                gone.add(path);
            }
        } else if (now.isDirectory()) {
            if (add(path, now, changes)) {
                toCompare.add(path); // it may be another one by that name, whose files were not told of
            }
        } else {
            if (before != null && before.isDirectory()) {
                known.keySet().stream().filter(each -> each.startsWith(path) && !each.equals(path))
                        .forEach(gone::add);
            }
            if (add(path, now, changes)) {
                changes.putIfAbsent(path, Kind.MODIFIED);
            }
        }
    }

    /**
     * Records a file or directory; it is created if it was not known, and modified if it is another file now. Returns
     * false if it is not recorded, since it is one too many.
     */
    private boolean add(Path path, Stamp now, Map<Path, Kind> changes) {
        var before = known.get(path);
        if (before == null && known.size() >= options.most()) {
            if (tellsMore()) {
                fail(new IOException("there are more than " + options.most() + " files and directories in "
                        + options.directory() + ", and " + path
                        + " is not watched: allow more by withMost, or leave some out by withFilter"));
            }
            return false;
        }
        known.put(path, now);
        if (before == null) {
            changes.put(path, Kind.CREATED);
        } else if (before.isDirectory() != now.isDirectory()) {
            unwatch(path);
            changes.putIfAbsent(path, Kind.MODIFIED);
        } else if (!now.isDirectory() && !before.equals(now)) {
            changes.putIfAbsent(path, Kind.MODIFIED);
        }
        return true;
    }

    /** Reads directories again. What is known and is not there is gone. */
    private void compare(Set<Path> directories, Map<Path, Kind> changes, Set<Path> gone) {
        var root = options.directory();
        var outermost = new HashSet<Path>();
        for (var directory : directories) {
            if (directory.equals(root)
                    || (options.subdirectories() && !isIn(directories, directory.getParent()))) {
                outermost.add(directory);
            }
        }
        var seen = new HashSet<Path>();
        for (var directory : outermost) {
            read(directory, changes, seen);
        }
        seen.forEach(gone::remove); // what was gone a moment ago is there again, and no event may follow
        for (var path : known.keySet()) {
            if (!seen.contains(path) && isIn(outermost, path.getParent())) {
                gone.add(path);
            }
        }
    }

    /**
     * Adds what is in a directory, and watches the directories inside before they are read. If the directory of the
     * watch is a link, its target is read, under the name of the link.
     */
    private void read(Path directory, Map<Path, Kind> changes, Set<Path> seen) {
        try {
            var start = directory.equals(options.directory()) ? directory.toRealPath() : directory;
            Files.walkFileTree(start, Set.of(), options.subdirectories() ? Integer.MAX_VALUE : 1,
                    new SimpleFileVisitor<>() {
                        private Path named(Path path) {
                            return directory.resolve(start.relativize(path));
                        }

                        private boolean see(Path path, BasicFileAttributes attributes) {
                            var isKnown = isWatched(path) && add(path, Stamp.of(attributes), changes);
                            if (isKnown) {
                                seen.add(path);
                            }
                            return isKnown;
                        }

                        // What comes next; nothing if the watch cannot begin.
                        private FileVisitResult next(FileVisitResult usual) {
                            return hasBegun || failure == null ? usual : FileVisitResult.TERMINATE;
                        }

                        @Override
                        public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
                            var inside = named(path);
                            var isIn = (inside.equals(options.directory()) || see(inside, attributes))
                                    && watchIfThere(inside);
                            return isIn ? FileVisitResult.CONTINUE : next(FileVisitResult.SKIP_SUBTREE);
                        }

                        @Override
                        public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) {
                            var unused = see(named(path), attributes);
                            return next(FileVisitResult.CONTINUE);
                        }

                        @Override
                        public FileVisitResult visitFileFailed(Path path, IOException e) {
                            failUnlessGone(named(path), e);
                            return FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult postVisitDirectory(Path path, @Nullable IOException e) {
                            if (e != null) {
                                failUnlessGone(named(path), e);
                            }
                            return FileVisitResult.CONTINUE;
                        }
                    });
        } catch (IOException e) {
            failUnlessGone(directory, e);
        }
    }

    /** Watches a directory, also if it is watched: another one may have its name. Returns false if that is not possible. */
    private boolean watchIfThere(Path directory) {
        try {
            watch(directory);
            return true;
        } catch (IOException e) {
            failUnlessGone(directory, e);
            return false;
        }
    }

    private void watch(Path directory) throws IOException {
        var key = directory.register(service, StandardWatchEventKinds.ENTRY_CREATE,
                StandardWatchEventKinds.ENTRY_MODIFY, StandardWatchEventKinds.ENTRY_DELETE);
        var name = directories.put(key, directory);
        if (name != null && !name.equals(directory)) {
            keys.remove(name, key); // the directory was moved: the key is the same
        }
        var before = keys.put(directory, key);
        if (before != null && before != key && directories.remove(before, directory)) {
            before.cancel(); // another directory had this name
        }
    }

    private void failUnlessGone(Path path, IOException e) {
        if (!isGone(path, e)) {
            fail(e);
        }
    }

    /**
     * Tells whether an exception means that a path is gone, or that something else has its name or the name of a directory
     * above it. Events tell of that.
     */
    private static boolean isGone(Path path, IOException e) {
        var parent = path.getParent();
        return e instanceof NoSuchFileException || e instanceof NotDirectoryException
                || (parent != null && !Files.isDirectory(parent));
    }

    private void fail(Exception e) {
        if (failure == null) {
            failure = e;
        } else if (failure != e && tellsMore()) {
            failure.addSuppressed(e);
        }
    }

    private boolean tellsMore() {
        return failure == null || failure.getSuppressed().length < TOLD;
    }

    /** Forgets what is gone, with all that was below it. */
    private void forget(Set<Path> gone, Map<Path, Kind> changes) {
        var root = options.directory();
        if (gone.contains(root)) {
            changes.put(root, Kind.DELETED);
        }
        for (var all = known.keySet().iterator(); all.hasNext();) {
            var path = all.next();
            if (isIn(gone, path)) {
                all.remove();
                unwatch(path);
                if (changes.remove(path) != Kind.CREATED) {
                    changes.put(path, Kind.DELETED);
                }
            }
        }
        if (gone.contains(root)) {
            unwatch(root);
        }
    }

    /** Tells whether a path, or a directory of the watch that it is in, is one of some paths. */
    private boolean isIn(Set<Path> paths, @Nullable Path path) {
        for (var each = path; each != null; each = each.getParent()) {
            if (paths.contains(each)) {
                return true;
            }
            if (each.equals(options.directory())) {
                return false;
            }
        }
        return false;
    }

    private void unwatch(Path path) {
        var key = keys.remove(path);
        if (key != null && directories.remove(key, path)) {
            key.cancel();
        }
    }

    private @Nullable Stamp stamp(Path path) {
        try {
            return Stamp.of(path.equals(options.directory())
                    ? Files.readAttributes(path, BasicFileAttributes.class)
                    : Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
        } catch (IOException e) {
            if (isGone(path, e)) {
                return null;
            }
            fail(e);
            return known.get(path); // nothing can be said of it
        }
    }
}
