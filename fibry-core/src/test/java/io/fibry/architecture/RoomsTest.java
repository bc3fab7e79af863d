package io.fibry.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The rooms of the engine use each other as the table of {@code docs/architecture.md} says. Each package below
 * {@code io.fibry.internal} is a room with a row; a row comes after the rows of the rooms that it may use, so there is no
 * cycle; and each arrow of a row is one that the compiled classes need.
 */
class RoomsTest {
    private static final Path PAGE = Path.of("..", "docs", "architecture.md");
    private static final String ROOMS = "io.fibry.internal.";
    private static final Pattern ROW =
            Pattern.compile("^\\| `([a-z]+)` \\|[^|]*\\|([^|]*)\\|$", Pattern.MULTILINE);
    private static final Pattern DOOR =
            Pattern.compile("exports io\\.fibry\\.internal\\.([a-z]+) to ([^;]+);");
    private static final Pattern NAME = Pattern.compile("`([a-z]+)`");
    /** The first rows, each with the rooms that use it. So many do that the rows of these rooms leave it out. */
    private static final Map<String, String> BASE = Map.of(
            "memory",
            "log clock report run context actor reply cycles deadline places timer aside handle receive mailbox supervise abandon watchdog flight scope keyed engine net",
            "log", "clock report run watchdog flight measure dump stereotype net",
            "clock",
            "report run context details deadline places timer handle receive mailbox supervise abandon watchdog flight measure scope keyed dump engine net",
            "report",
            "run context actor cycles deadline timer aside handle receive mailbox supervise abandon watchdog flight measure scope keyed dump engine stereotype");

    /** By room, in the order of the table. */
    private static Map<String, Set<String>> allowed;
    /** By room, the rooms that it uses, each with one class that does and one that is used. */
    private static Map<String, Map<String, String>> used;

    @BeforeAll
    static void read() throws IOException {
        allowed = table(Files.readString(PAGE));
        used = arrows();
    }

    private static Map<String, Set<String>> table(String page) {
        var rows = new LinkedHashMap<String, Set<String>>();
        ROW.matcher(page).results().forEach(row -> rows.put(row.group(1), NAME.matcher(row.group(2)).results()
                .map(name -> name.group(1)).collect(Collectors.toCollection(TreeSet::new))));
        assertThat(List.copyOf(rows.keySet()).subList(0, BASE.size()))
                .containsExactlyInAnyOrderElementsOf(BASE.keySet());
        BASE.forEach((room, users) -> List.of(users.split(" ")).forEach(user -> rows.get(user).add(room)));
        return rows;
    }

    private static Map<String, Map<String, String>> arrows() {
        var found = new TreeMap<String, Map<String, String>>();
        for (var type : MainCode.classes()) {
            var from = room(type);
            if (from.isEmpty()) {
                continue;
            }
            var targets = found.computeIfAbsent(from, any -> new TreeMap<>());
            for (var arrow : type.getDirectDependenciesFromSelf()) {
                var to = room(arrow.getTargetClass().getBaseComponentType());
                if (!to.isEmpty() && !to.equals(from)) {
                    targets.putIfAbsent(to,
                            type.getSimpleName() + " -> " + arrow.getTargetClass().getSimpleName());
                }
            }
        }
        return found;
    }

    /** The room of a class; empty if it is not in one. */
    private static String room(JavaClass type) {
        var name = type.getPackageName();
        return name.startsWith(ROOMS) ? name.substring(ROOMS.length()) : "";
    }

    @Test
    void eachRoomHasARowAndEachRowARoom() {
        assertThat(allowed.keySet()).containsExactlyInAnyOrderElementsOf(used.keySet());
    }

    @Test
    void aRowComesAfterThoseThatItMayUse() {
        var before = new LinkedHashSet<String>();
        allowed.forEach((room, targets) -> {
            assertThat(before).as("rows above that of " + room).containsAll(targets);
            before.add(room);
        });
    }

    @Test
    void noRoomUsesAnotherThanItsRowAllows() {
        var forbidden = new ArrayList<String>();
        used.forEach((room, targets) -> targets.forEach((target, example) -> {
            if (!allowed.getOrDefault(room, Set.of()).contains(target)) {
                forbidden.add(room + " uses " + target + ": " + example);
            }
        }));
        assertThat(forbidden).isEmpty();
    }

    /** Else the table would not say what may be relied on. */
    @Test
    void noRowAllowsWhatNobodyNeeds() {
        var unused = new ArrayList<String>();
        allowed.forEach((room, targets) -> targets.forEach(target -> {
            if (!used.getOrDefault(room, Map.of()).containsKey(target)) {
                unused.add(room + " does not use " + target);
            }
        }));
        assertThat(unused).isEmpty();
    }

    /** A room that other modules of the library may use names them, and says what for. */
    @Test
    void eachDoorHasItsReason() throws IOException {
        var doors = DOOR.matcher(Files.readString(MainCode.SOURCES.resolve("module-info.java"))).results()
                .toList();
        assertThat(doors).isNotEmpty();
        var silent = new TreeSet<String>();
        for (var door : doors) {
            var page = Files.readString(MainCode.SOURCES.resolve(
                    Path.of("io", "fibry", "internal", door.group(1), "package-info.java")));
            var reason =
                    page.substring(Math.max(0, page.indexOf("Exported to "))).replaceAll("\\s+\\*\\s+", " ");
            for (var module : door.group(2).split(",\\s*")) {
                if (!reason.startsWith("Exported to ") || !reason.contains("{@code " + module + "}")) {
                    silent.add(door.group(1) + " to " + module);
                }
            }
        }
        assertThat(silent).as("exports whose package-info has no \"Exported to {@code module}, ...\"")
                .isEmpty();
    }
}
