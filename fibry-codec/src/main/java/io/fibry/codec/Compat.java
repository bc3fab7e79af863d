package io.fibry.codec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Finds changes of types with which a program could not read what an earlier release wrote. A golden file, kept with
 * the source, lists all types, components and roots that were ever written; a test compares it with the types of today:
 *
 * <pre>{@code
 * @Test
 * void whatEarlierReleasesWroteIsRead() {
 *     Compat.check(Path.of("src/test/resources/events.golden"), Codec.of(Event.class));
 * }
 * }</pre>
 *
 * <p>Permitted: to add an {@code Optional} or {@code @Nullable} component, a record, an enum, a constant or a permitted type;
 * to remove a component, whose type remains in the codec, or make it {@code Optional} or {@code @Nullable}. Other changes need
 * an {@link Upcaster}, or a {@link WireName} for an old name. The golden file keeps a removed component as one that may be
 * missing: old bytes have it. An upcaster that is in the file does not permit more changes of its record. A root remains
 * a root, or is permitted by a sealed interface that is a root.
 *
 * <p>With the system property {@code fibry.compat=write}, {@link #check} writes a missing file, and permitted changes. It also
 * adds the roots to a file that has none, which is checked without them otherwise.
 */
public final class Compat {
    private static final String HEADER =
            "# What was ever written, for Compat.check of fibry-codec. Run its test with -Dfibry.compat=write to add to it.\n";
    private static final String PART = "    ";
    private static final String ROOT = "root ";

    private Compat() {
    }

    /**
     * The types of a codec, as they are in a golden file.
     *
     * @param codec a codec
     * @return text that ends with a line feed
     */
    public static String describe(Codec codec) {
        return HEADER + codec.describe();
    }

    /**
     * Compares a codec with a golden file.
     *
     * @param golden the file
     * @param codec the codec of today
     * @throws CodecException if something that is in the file cannot be read; it says what has changed and why. Also if the
     *         file is missing or does not have all types of today, unless the system property {@code fibry.compat} is {@code write}
     * @throws UncheckedIOException if the file cannot be read or written
     */
    public static void check(Path golden, Codec codec) {
        boolean write = "write".equals(System.getProperty("fibry.compat"));
        var now = new TypeList(codec.describe());
        try {
            if (!Files.exists(golden)) {
                if (!write) {
                    throw new CodecException("There is no golden file " + golden
                            + ": run this once with -Dfibry.compat=write, and commit the file");
                }
                var folder = golden.toAbsolutePath().getParent();
                if (folder != null) {
                    Files.createDirectories(folder);
                }
                Files.writeString(golden, HEADER + now.text());
                return;
            }
            var then = new TypeList(Files.readString(golden));
            var faults = faults(then, now);
            if (!faults.isEmpty()) {
                throw new CodecException("What earlier releases wrote can no longer be read:\n  "
                        + String.join("\n  ", faults) + "\nThe golden file is " + golden);
            }
            if (!write && then.roots().isEmpty()) {
                now.types.keySet().removeAll(now.roots());
            }
            var union = then.with(now).text();
            if (union.equals(then.text())) {
                return;
            }
            if (!write) {
                throw new CodecException(
                        "The changes can be read, but are not yet in the golden file " + golden
                                + ": run this once with -Dfibry.compat=write, and commit the file");
            }
            Files.writeString(golden, HEADER + union);
        } catch (IOException e) {
            throw new UncheckedIOException("The golden file " + golden + " cannot be read or written", e);
        }
    }

    private static List<String> faults(TypeList then, TypeList now) {
        var faults = new ArrayList<String>();
        then.types.forEach((type, old) -> {
            var name = type.substring(type.indexOf(' ') + 1).replaceFirst("<.*", "");
            if (type.startsWith("upcast ")) {
                if (!now.types.containsKey(type)) {
                    faults.add(type + " is gone: give the codec the Upcaster again, as old bytes need it");
                }
                return;
            }
            if (type.startsWith(ROOT)) {
                var written = then.names(type).stream().map(now::read).toList();
                if (!now.types.containsKey(type)
                        && now.roots().stream().noneMatch(root -> now.names(root).containsAll(written))) {
                    faults.add(type
                            + " is gone: keep it as a root of the codec, or let a sealed interface that is one"
                            + " permit it");
                }
                return;
            }
            var today = now.types.get(type);
            if (now.types.containsKey("upcast " + name)) {
                var read = now.read(name);
                int before = faults.size();
                if (now.types.keySet().stream()
                        .noneMatch(each -> each.replaceFirst("<.*", "").equals("record " + read))) {
                    faults.add(type + ": its Upcaster makes it " + read + ", which is no record of today");
                } else if (today != null && then.types.containsKey("upcast " + name)) {
                    // It was made for an earlier change.
                    componentFaults(type, old, today, faults);
                    if (faults.size() > before) {
                        faults.add(type + ": if its Upcaster now reads this too, delete the line \"upcast "
                                + name
                                + ": ...\" of the golden file, and run this with -Dfibry.compat=write");
                    }
                }
                return;
            }
            if (today == null) {
                faults.add(type
                        + " is gone: keep it, as a root of the codec if nothing has it any more, or give the "
                        + "class that took its place @WireName(\"" + name + "\")"
                        + (type.startsWith("record ")
                                ? ", or give an Upcaster for it if a sealed interface permits it or it is a root"
                                : ""));
            } else if (type.startsWith("record ")) {
                componentFaults(type, old, today, faults);
            } else {
                goneFaults(type, old, today, now, faults);
            }
        });
        return faults;
    }

    private static void componentFaults(String type, Map<String, String> old, Map<String, String> today,
            List<String> faults) {
        old.forEach((component, before) -> {
            var after = today.get(component);
            if (after != null && !after.equals(before) && !after.equals(before + "?")) {
                faults.add(type + ", component " + component + ": its type was " + before + " and is " + after
                        + (before.equals(after + "?")
                                ? "; old bytes may be without it: leave it Optional or @Nullable, or give an Upcaster"
                                : "; give the new component another name, keep that of its type by @WireName, or give an"
                                        + " Upcaster"));
            }
        });
        today.forEach((component, after) -> {
            if (!old.containsKey(component) && !after.endsWith("?")) {
                faults.add(type + ", component " + component
                        + ": it is new, and old bytes are without it: make it Optional or @Nullable, or give an Upcaster."
                        + " If it was renamed, give it @WireName with its old name");
            }
        });
    }

    private static void goneFaults(String type, Map<String, String> old, Map<String, String> today,
            TypeList now, List<String> faults) {
        for (var each : old.keySet()) {
            if (!today.containsKey(type.startsWith("sealed ") ? now.read(each) : each)) {
                faults.add(type + ": " + each
                        + " is gone, but old bytes have it: keep it, or keep its name by @WireName"
                        + (type.startsWith("sealed ") ? ", or give an Upcaster" : ""));
            }
        }
    }

    /** The content of a golden file: a line for each type, its components below, or what it permits behind it. */
    private static final class TypeList {
        final Map<String, Map<String, String>> types = new TreeMap<>();

        TypeList(String text) {
            Map<String, String> parts = new TreeMap<>();
            for (var line : text.lines().toList()) {
                if (line.startsWith("#") || line.isBlank()) {
                    continue;
                }
                int colon = line.indexOf(':');
                if (line.startsWith(PART) && colon > 0) {
                    parts.put(line.substring(PART.length(), colon), line.substring(colon + 1).strip());
                } else if (line.matches("(record|root) .*")) {
                    parts = types.computeIfAbsent(line.strip(), type -> new TreeMap<>());
                } else if (colon > 0 && line.matches("(enum|sealed|upcast) .*")) {
                    parts = types.computeIfAbsent(line.substring(0, colon), type -> new TreeMap<>());
                    for (var name : line.substring(colon + 1).strip().split(" ", -1)) {
                        if (!name.isEmpty()) {
                            parts.put(name, "");
                        }
                    }
                } else {
                    throw new CodecException("A golden file has no line such as \"" + line
                            + "\": take the file of the last release");
                }
            }
        }

        List<String> roots() {
            return types.keySet().stream().filter(type -> type.startsWith(ROOT)).toList();
        }

        /** The type names that values of a root have. A value of the JDK has none, but no other type is called so. */
        Set<String> names(String root) {
            var name = root.substring(ROOT.length());
            return types.getOrDefault("sealed " + name, Map.of(name, "")).keySet();
        }

        /** The name under which a record is read, after its upcasters. */
        String read(String name) {
            var read = name;
            var done = new HashSet<String>();
            while (done.add(read)) {
                read = String.join("", types.getOrDefault("upcast " + read, Map.of(read, "")).keySet());
            }
            return read;
        }

        /** All that is in this or in the other; the types of components are those of the other. */
        TypeList with(TypeList other) {
            var union = new TypeList("");
            union.types.putAll(types);
            other.types.forEach((type, parts) -> {
                var both = new TreeMap<>(union.types.getOrDefault(type, Map.of()));
                if (type.startsWith("record ")) { // bytes of today are without what was removed
                    both.replaceAll((name, label) -> label.endsWith("?") ? label : label + "?");
                }
                both.putAll(parts);
                union.types.put(type, both);
            });
            return union;
        }

        String text() {
            var text = new StringBuilder();
            for (var type : new TreeSet<>(types.keySet())) {
                var parts = types.getOrDefault(type, Map.of());
                text.append(type);
                if (type.startsWith("record ")) {
                    parts.forEach((name, label) -> text.append('\n').append(PART).append(name).append(": ")
                            .append(label));
                } else if (!type.startsWith(ROOT)) {
                    text.append(": ").append(String.join(" ", parts.keySet()));
                }
                text.append('\n');
            }
            return text.toString();
        }
    }
}
