package io.fibry.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What {@code docs/architecture.md} names is there: each {@code Class} and each {@code Class.member} in a code span. */
class ArchitecturePageTest {
    private static final Path PAGE = Path.of("..", "docs", "architecture.md");
    private static final Pattern SPAN = Pattern.compile("`([A-Z]\\w*)(?:\\.(\\w+))?`");

    private static Map<String, JavaClass> classes() {
        var found = new HashMap<String, JavaClass>();
        for (var type : MainCode.classes()) {
            found.put(type.getSimpleName(), type);
        }
        return found;
    }

    private static boolean isTest(String name) {
        return name.endsWith("Test");
    }

    @Test
    void whatThePageNamesIsThere() throws IOException {
        var classes = classes();
        var missing = new ArrayList<String>();
        var spans = SPAN.matcher(Files.readString(PAGE)).results().toList();
        for (var span : spans) {
            var type = classes.get(span.group(1));
            var member = span.group(2);
            if (type == null ? !isTest(span.group(1)) && !span.group(1).equals("Class")
                    : member != null
                            && type.getAllMethods().stream().noneMatch(m -> m.getName().equals(member))) {
                missing.add(span.group());
            }
        }
        assertThat(spans).hasSizeGreaterThan(60);
        assertThat(missing).isEmpty();
    }
}
