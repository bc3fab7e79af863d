import java.io.File;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.gradle.testfixtures.ProjectBuilder;

/** Prints the class path that Gradle finds for configurations of a project, each in a line: Classpath.java PROJECT HOME CONFIGURATION... */
public class Classpath {
    private Classpath() {
    }

    public static void main(String[] args) {
        int status = 1;
        try {
            var project = ProjectBuilder.builder().withProjectDir(new File(args[0])).withGradleUserHomeDir(new File(args[1])).build();
            project.apply(Map.of("from", "build.gradle"));
            for (var name : Arrays.copyOfRange(args, 2, args.length)) {
                System.out.println(project.getConfigurations().getByName(name).getFiles().stream().map(File::getPath)
                        .collect(Collectors.joining(File.pathSeparator)));
            }
            status = 0;
        } catch (Throwable e) {
            e.printStackTrace();
        }
        System.exit(status); // Gradle's threads go on otherwise
    }
}
