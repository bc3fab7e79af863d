package io.fibry.internal.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorBuilder;
import io.fibry.ScopeBuilder;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each setting is declared once, in {@link Setting}. */
class SettingTest {
    private static final Path PAGE = Path.of("..", "docs", "architecture.md");

    /** A method without a constant would be a setting of which nobody has said who gets it. */
    @Test
    void eachMethodOfTheBuildersIsASetting() {
        var methods = Stream.of(ActorBuilder.class, ScopeBuilder.class)
                .flatMap(builder -> Arrays.stream(builder.getMethods())
                        .filter(method -> method.getReturnType() == builder))
                .map(Method::getName).collect(Collectors.toCollection(TreeSet::new));
        methods.remove("withoutInterceptors"); // it takes a setting away
        assertThat(Arrays.stream(Setting.values()).map(Setting::method)).doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(methods);
    }

    /** Otherwise the actors of keys would not get it. */
    @Test
    void eachLayerIsASetting() {
        assertThat(Arrays.stream(Setting.values()).map(Setting::layer)).containsAll(Layers.FROM_THE_HANDLER);
    }

    @Test
    void thePageSaysWhoGetsASetting() throws IOException {
        List<String> rows = Files.readString(PAGE).lines()
                .dropWhile(line -> !line.startsWith("| setting |")).skip(2)
                .takeWhile(line -> line.startsWith("|")).toList();
        List<String> expected = Arrays.stream(Setting.values())
                .filter(setting -> Arrays.stream(Setting.Heir.values()).anyMatch(setting::isFor))
                .map(SettingTest::row).toList();
        assertThat(rows).containsExactlyInAnyOrderElementsOf(expected);
    }

    private static String row(Setting setting) {
        var cells = new ArrayList<String>(List.of("", "`" + setting.method() + "`"));
        for (var heir : Setting.Heir.values()) {
            cells.add(setting.isFor(heir) ? "yes" : "");
        }
        cells.add("");
        return String.join("|", cells.stream().map(cell -> cell.isEmpty() ? " " : " " + cell + " ").toList())
                .strip();
    }
}
